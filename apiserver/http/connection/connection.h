// The common part of both protocols' connections. Lives on one executor.
#ifndef APISERVER_HTTP_CONNECTION_CONNECTION_H_
#define APISERVER_HTTP_CONNECTION_CONNECTION_H_

#include <functional>
#include <memory>
#include <string>

#include "apiserver/http/connection/http_error.h"
#include "apiserver/http/limits/connection_gate.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/date.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "base/async/task_group.h"

namespace steward::http {

// The parts of the server that a connection uses. All of them outlive the connection; `deadlines`,
// `date` and `tasks` belong to the connection's thread.
struct ConnectionEnv {
  const Limits& limits;
  const Timeouts& timeouts;
  const Handler& handler;
  const ErrorBody& error_body;
  MemoryBudget& memory;
  DeadlineSet& deadlines;
  HttpDate& date;
  TaskGroup& tasks;
  ConnectionGate::Pass& pass;  // lives until Serve has ended
};

struct PeerInfo {
  std::string remote_address;
  std::shared_ptr<const PeerCertificates> certificates;
  bool front_proxy = false;  // a verified front proxy
};

// The interface of a connection.
class Connection {
 public:
  virtual ~Connection() = default;

  // Serves requests until the peer is gone, a deadline has passed, or the last response after
  // BeginShutdown was sent. The stream may still be open when it returns.
  virtual VoidTask Serve() = 0;

  // Accepts no new requests, but lets running ones finish.
  virtual void BeginShutdown() = 0;
};

// Answers with a Status, and with "Connection: close" if `close`.
StatusTask RespondError(const ConnectionEnv& env, ResponseWriter& writer, const HttpError& error,
                        bool close);

// Runs the handler. An exception is logged, a missing answer becomes a 500, and an unfinished body
// stays unfinished. Cancellation passes through.
VoidTask RunHandler(const ConnectionEnv& env, Request& request, ResponseWriter& writer);

// Runs a task of a connection. If an exception leaves the task, logs it and calls `end`, unless
// null, so that the connection ends and not the process. Cancellation passes through.
VoidTask Contain(VoidTask task, std::function<void()> end);

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_CONNECTION_H_
