// The handler that passes requests on to the kube-apiserver. Lives on the executor of its Upstream.
#ifndef CONSOLE_SERVER_API_PROXY_H_
#define CONSOLE_SERVER_API_PROXY_H_

#include <cstddef>

#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "base/fairness/user_quota.h"
#include "console/server/access.h"
#include "console/server/upstream.h"
#include "kube/client/connection_pool.h"

namespace steward::console {

struct ApiProxyOptions {
  AccessOptions access;
  size_t max_body_bytes = 3 << 20;  // as the kube-apiserver's; beyond: 413
  // Over a whole request; of a watch, until it begins.
  absl::Duration time_limit = absl::Seconds(60);
  // The limits of requests that wait for an answer or for its end, and of watches. A requester
  // beyond them gets 429.
  UserQuota::Limits waiting = {.all = 256, .per_user = 32};
  UserQuota::Limits watches = {.all = 512, .per_user = 128};
};

// The limits of connections, so high that no request within `options` waits for a connection.
kube::ConnectionPoolOptions ConnectionsFor(const ApiProxyOptions& options);

// Answers requests whose path is an IsApiPath. Checks each request (401, 403, 400, 405), reads its
// body (413), and sends it with the requester's own rights. Streams the answer; on a WebSocket,
// each event of the watch is one message. If the kube-apiserver cannot be reached or does not
// answer: 502, 503, 504. If its answer breaks off, the client's answer ends incomplete, too. If the
// client leaves, the connection to the kube-apiserver is closed. REQUIRES: `upstream` and `clock`
// outlive the handler, which is called on the executor of `upstream`.
http::Handler ForwardToApi(ApiProxyOptions options, Upstream& upstream, Clock& clock);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_API_PROXY_H_
