// The options of a DELETE request. Pure functions.
#ifndef APISERVER_REST_WRITES_DELETE_OPTIONS_H_
#define APISERVER_REST_WRITES_DELETE_OPTIONS_H_

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"
#include "kube/meta/write_options.h"

namespace steward::rest {

// Reads the options from the body, a DeleteOptions object as JSON, YAML or protobuf (with the
// apiVersion of any group), or from the query parameters when there is no body; preconditions exist
// in the body only. gracePeriodSeconds must be a valid number, and has no effect. The deprecated
// orphanDependents stands for Orphan and Background. Errors carry a Kubernetes Status: 400, 415, or
// 422 with causes.
absl::StatusOr<kube::DeleteOptions> ParseDeleteOptions(const http::Request& request);

}  // namespace steward::rest

#endif  // APISERVER_REST_WRITES_DELETE_OPTIONS_H_
