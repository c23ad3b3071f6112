// A writer that sends many writes, several at a time, as fast as the server permits. Lives on one
// executor.
#ifndef CONTROLLERS_RUNTIME_PARALLEL_WRITER_H_
#define CONTROLLERS_RUNTIME_PARALLEL_WRITER_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/election/leadership.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {

struct ParallelWriterOptions {
  size_t width = 16;  // writes at a time, unless the server answers 429
  // How long no write is begun after a 429: `pause` if the answer names no time, at most
  // `max_pause` if it does.
  absl::Duration pause = absl::Seconds(1);
  absl::Duration max_pause = absl::Minutes(1);
  // This many failures and 429s in a row, without another answer in between, end the run, because
  // there is no working server.
  size_t give_up = 32;
};

// The results of the writes. The sum of the six numbers is the number of writes.
struct WriteCounts {
  size_t done = 0;
  size_t absent = 0;
  size_t conflicts = 0;
  size_t refused = 0;
  size_t failed = 0;
  size_t unsent = 0;     // the run ended before they were sent
  std::string refusal;   // the first
  absl::Status failure;  // the first failure
  // The reason why the run ended early: no leadership, or no server. OK: it did not end early.
  absl::Status ended;
};

// Writes are begun in their order. The leadership is checked before each of them, and again right
// before its bytes leave, if the write passes the given check to the client. A write that the
// server answers with 429 is sent again, after the time that the answer names; meanwhile no write
// is begun. From then on half as many run at a time, and one more after each round of other
// answers. Other failed writes are not sent again, because the caller must look first.
//
//   write ──► 429 ──────► waits; half the width ──► write
//         ├─► failure ──► counted; too many in a row, or not leader ──► ended, the rest is unsent
//         └─► answer ───► counted; wider again
//
// Calls may overlap. When a call is cancelled, it returns after all writes under way have ended.
class ParallelWriter {
 public:
  // Sends the write with this number, with `may_send` among the options of the client's call.
  using Write = std::function<StatusTask(size_t number, kube::SendCheck may_send)>;

  // REQUIRES: the references outlive this object and its calls; width and give_up > 0.
  ParallelWriter(const Leadership& leadership, Clock& clock, ParallelWriterOptions options = {})
      : leadership_(leadership), clock_(clock), options_(options) {}

  // Sends the writes 0 to count - 1.
  boost::asio::awaitable<WriteCounts> Run(size_t count, Write write);

 private:
  struct State;
  VoidTask Work(State& state, size_t worker);
  StatusTask SendOne(State& state, size_t number);
  void Judge(State& state, size_t number, const absl::Status& status);
  void Slow(State& state, const absl::Status& answer);
  void NoteFailure(State& state, const absl::Status& failure);

  const Leadership& leadership_;
  Clock& clock_;
  const ParallelWriterOptions options_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_PARALLEL_WRITER_H_
