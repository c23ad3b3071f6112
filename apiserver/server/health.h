// /healthz, /livez and /readyz, as Kubernetes' API servers answer them.
#ifndef APISERVER_SERVER_HEALTH_H_
#define APISERVER_SERVER_HEALTH_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message.h"

namespace steward::server {

// One thing that must hold. `check` is called from every thread, answers from memory, and says in
// its error why not: to the log, and to whom may read the check's own path.
struct HealthCheck {
  std::string name;
  std::function<absl::Status()> check;
  bool in_healthz = true;
  bool in_livez = true;
  bool in_readyz = true;
};

// "ping": the process answers.
HealthCheck PingCheck();

// True for the three endpoints and everything below them.
bool IsHealthPath(std::string_view path);

// Answers health paths: 200 "ok", or one line per check with `?verbose` and on failure (500);
// `?exclude=<check>` leaves checks out, and /<endpoint>/<check> asks one alone. Else 404.
http::Handler HealthHandler(std::vector<HealthCheck> checks);

}  // namespace steward::server

#endif  // APISERVER_SERVER_HEALTH_H_
