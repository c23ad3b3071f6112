// A connection over memory with a handler that shows every possible behaviour, for tests and fuzz
// targets. Used by one thread.
#ifndef APISERVER_HTTP_CONNECTION_CONNECTION_HARNESS_H_
#define APISERVER_HTTP_CONNECTION_CONNECTION_HARNESS_H_

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/memory_stream.h"
#include "apiserver/http/limits/connection_gate.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/date.h"
#include "apiserver/http/message/message.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward::http {

// The longest body that /echo accepts.
inline constexpr size_t kEchoLimit = 1 << 20;

// Records of the test handler, shared by all its requests.
struct HandlerLog {
  std::vector<std::string> requests;  // "METHOD path", in the order they came
  Request last;                       // the last request, without its body
  size_t returned = 0;                // handlers that returned by themselves
  int hanging = 0;                    // in /hang, /events, /spliced and /stream now
  size_t writes = 0;                  // calls of Write in /stream that returned OK
  size_t finished = 0;                // answers to /stream, /ended whose Finish returned OK
};

// The paths:
//   /hello   "hello\n"                    /echo      the body
//   /stranger  the same, for a user who is not authenticated; on other paths, users are
//   /stream  100 writes of 64 KiB, of a watch that has settled
//   /start   the same, of a watch that has not settled
//   /length  the same, with Content-Length and no watch
//   /spliced one write of 1 MiB of shared bytes and 64 KiB of its own
//   /chatter 64 KiB of its own bytes, of a watch that has settled; then hangs
//   /hang    answers never                /open      a head and one write, then hangs
//   /defiant the same, and throws when it is cancelled
//   /throw   throws                       /silent    returns without an answer
//   /short   less body than it said       /long      more
//   /half    stops in a body of unknown length
//   /empty   204                          /close     asks for the connection's end
//   /events  "one\n" and "two\n", then hangs; /ended the same, then ends
// /stream, /events and /ended offer a WebSocket; one that is refused is answered 400 or 403.
Handler TestHandler(HandlerLog& log, Clock& clock);

// {"code":...,"reason":...,"message":...}
std::string TestErrorBody(int code, std::string_view reason, std::string_view message);

class ConnectionHarness {
 public:
  using Make = std::shared_ptr<Connection> (*)(const boost::asio::any_io_executor&, ByteStream&,
                                               const ConnectionEnv&, PeerInfo);
  // Begins to serve at once.
  explicit ConnectionHarness(Make make, Limits limits = {}, Timeouts timeouts = {},
                             bool front_proxy = false);
  ~ConnectionHarness();

  // Feeds bytes and runs until nothing more happens.
  void Feed(std::string bytes);
  void End();
  void Run();
  // The same. Once `happened`, other work of the thread is ready: `meanwhile`, in its turn.
  void RunBeside(const std::function<bool()>& happened, std::function<void()> meanwhile);
  // Lets seconds pass.
  void Tick(int seconds);

  MemoryStream& stream() { return stream_; }
  Connection& connection() { return *connection_; }
  bool serving() const { return serving_; }
  const HandlerLog& log() const { return log_; }
  size_t request_memory() const { return memory_.used(); }
  uint64_t watches_reset() const { return memory_.watches_reset(); }
  // Closes the connection if it is an idle stranger's.
  void Shed();

 private:
  boost::asio::io_context io_;
  FakeClock clock_;
  const Limits limits_;
  const Timeouts timeouts_;
  HandlerLog log_;
  const Handler handler_;
  const ErrorBody error_body_;
  MemoryBudget memory_;
  DeadlineSet deadlines_;
  HttpDate date_;
  TaskGroup tasks_;
  MemoryStream stream_;
  ConnectionGate gate_{1, 1};
  const std::unique_ptr<ConnectionGate::Pass> pass_;
  std::shared_ptr<Connection> connection_;
  bool serving_ = true;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_CONNECTION_HARNESS_H_
