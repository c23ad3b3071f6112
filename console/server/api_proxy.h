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
  // Requests that wait for an answer, or for its end; and watches. A requester beyond: 429.
  UserQuota::Limits waiting = {.all = 256, .per_user = 32};
  UserQuota::Limits watches = {.all = 512, .per_user = 128};
};

// The limits are so high that nobody has to wait for a connection.
kube::ConnectionPoolOptions ConnectionsFor(const ApiProxyOptions& options);

// Answers what IsApiPath. Each request is judged (401, 403, 400, 405), its body is read (413), and
// it is sent with the requester's own rights; the answer is streamed, and the event of a watch that
// was asked for as a WebSocket is one message. Where the kube-apiserver cannot be asked or does not
// answer: 502, 503, 504. An answer that breaks off leaves the client's incomplete. When the client
// leaves, the kube-apiserver's connection is closed. REQUIRES: `upstream` and `clock` outlive the
// handler, which is called on the executor of `upstream`.
http::Handler ForwardToApi(ApiProxyOptions options, Upstream& upstream, Clock& clock);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_API_PROXY_H_
