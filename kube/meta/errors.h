// The meaning of API servers' errors. Pure functions.
#ifndef KUBE_META_ERRORS_H_
#define KUBE_META_ERRORS_H_

#include <string_view>

#include "absl/status/status.h"

namespace steward::kube {

// True only when the API server itself said that this object does not exist: a 404 with a Status
// that names it. A 404 of a path (the kind is not served, or a proxy answered) proves nothing
// (R-000-70).
bool IsNotFound(const absl::Status& status, std::string_view name);

// True for every answer with the reason NotFound: the object may be absent, its kind not served, or
// a proxy may have answered. This is enough to try something else, but not to conclude that an
// object is gone: that needs IsNotFound.
bool SaysNotFound(const absl::Status& status);

// True for a 404 that names no object: mostly the kind is not served. A proxy may have answered as
// well, so nothing may be deleted because of it.
bool IsNotServed(const absl::Status& status);

// True when the API server itself said that resources of the kind do not support the request: a 405
// with a Status.
bool IsUnsupported(const absl::Status& status);

bool IsForbidden(const absl::Status& status);
bool IsAlreadyExists(const absl::Status& status);
// True if the object is not in the state that the request would change.
bool IsConflict(const absl::Status& status);
// True if the object changed since it was read, or seems to be gone, as with SaysNotFound.
bool IsOvertaken(const absl::Status& status);
// True if the list or watch that should continue is no longer known.
bool IsExpired(const absl::Status& status);
// True if the server had no place for the request.
bool IsTooManyRequests(const absl::Status& status);
// True if the request is longer than the server, or a proxy before it, takes.
bool IsTooLarge(const absl::Status& status);
// True if the server said that it could not answer in time.
bool IsTimeout(const absl::Status& status);

// True for success, and for an error that a server has answered: it carries a Kubernetes Status.
bool IsAnswer(const absl::Status& status);

// True if the same request may succeed a moment later: no connection, no answer in time, 429 and
// 5xx.
bool IsTransient(const absl::Status& status);

}  // namespace steward::kube

#endif  // KUBE_META_ERRORS_H_
