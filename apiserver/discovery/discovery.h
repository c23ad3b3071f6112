// Discovery for clients: /api, /apis and below, /version, /openapi. Thread-safe.
#ifndef APISERVER_DISCOVERY_DISCOVERY_H_
#define APISERVER_DISCOVERY_DISCOVERY_H_

#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/discovery/version_info.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/resource.h"
#include "base/clock/clock.h"

namespace steward::discovery {

// Returns a handler that answers from bytes prepared by this call, and below /openapi by the first
// request there:
//   /apis  /apis/<group>  /apis/<group>/<version>  /version   (a trailing slash is fine)
//   /api  /api/<version>   when there are resources of the core group
//   /openapi/v2  /openapi/v3  /openapi/v3/apis/<group>/<version>  /openapi/v3/api/<version>
// and passes every other path on to `next`. Documents are the same on every replica of one build,
// and depend on no cache, so that the handler can answer at once; the first request below /openapi
// takes its thread for some milliseconds. `clock` outlives the handler.
// Fails when a resource's OpenAPI schema is not a JSON object.
absl::StatusOr<http::Handler> WithDiscovery(const std::vector<rest::Resource>& resources,
                                            const VersionInfo& version, const Clock& clock,
                                            http::Handler next);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_DISCOVERY_H_
