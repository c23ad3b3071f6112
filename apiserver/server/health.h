// /healthz, /livez and /readyz, as Kubernetes' API servers answer them. Thread-safe.
#ifndef APISERVER_SERVER_HEALTH_H_
#define APISERVER_SERVER_HEALTH_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"

namespace steward::server {

// A condition that must hold. `check` is called on any thread and answers from memory. The error
// says why the condition does not hold. It appears in the log, and in the answer to users who may
// get the check's own path.
struct HealthCheck {
  std::string name;
  std::function<absl::Status()> check;
  bool in_healthz = true;
  bool in_livez = true;
  bool in_readyz = true;
};

// "ping": OK while the process answers.
HealthCheck PingCheck();

// True for the three endpoints and everything below them.
bool IsHealthPath(std::string_view path);

// Answers health paths: 200 "ok", or one line per check with `?verbose` and on failure (500);
// `?exclude=<check>` leaves checks out, and /<endpoint>/<check> runs one alone. Else 404.
http::Handler HealthHandler(std::vector<HealthCheck> checks);

}  // namespace steward::server

#endif  // APISERVER_SERVER_HEALTH_H_
