// What both protocols' connections have in common.
#ifndef APISERVER_HTTP_CONNECTION_H_
#define APISERVER_HTTP_CONNECTION_H_

#include <functional>
#include <memory>
#include <string>

#include "apiserver/http/connection_gate.h"
#include "apiserver/http/date.h"
#include "apiserver/http/deadline.h"
#include "apiserver/http/http_error.h"
#include "apiserver/http/memory_budget.h"
#include "apiserver/http/message.h"
#include "apiserver/http/options.h"
#include "base/async/task.h"
#include "base/async/task_group.h"

namespace steward::http {

// What a connection uses of its server. All of it outlives the connection; `deadlines`, `date` and
// `tasks` belong to the connection's thread.
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
  bool front_proxy = false;  // verified
};

// On one executor.
class Connection {
 public:
  virtual ~Connection() = default;

  // Serves requests until the connection can serve no more: the peer is gone, a deadline passed, or
  // after BeginShutdown the last response was sent. The stream may still be open then.
  virtual VoidTask Serve() = 0;

  // Takes no new requests, lets running ones finish.
  virtual void BeginShutdown() = 0;
};

// Answers with a Status; "Connection: close" if `close`.
StatusTask RespondError(const ConnectionEnv& env, ResponseWriter& writer, const HttpError& error,
                        bool close);

// Runs the handler. One that throws is logged, and one that did not answer answers 500 hereby; a
// body that it left unfinished stays so. Cancellation passes through.
VoidTask RunHandler(const ConnectionEnv& env, Request& request, ResponseWriter& writer);

// Runs a task of a connection. An exception that leaves it is logged, and ends the connection by
// `end`, if that is not null, instead of the process. Cancellation passes through.
VoidTask Contain(VoidTask task, std::function<void()> end);

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_H_
