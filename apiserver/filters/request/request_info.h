// The verb and object of a request, read as Kubernetes' RequestInfoFactory does
// (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go). Authorization relies on this reading.
// Thread-safe.
#ifndef APISERVER_FILTERS_REQUEST_REQUEST_INFO_H_
#define APISERVER_FILTERS_REQUEST_REQUEST_INFO_H_

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"

namespace steward::filters {

// Uses method, path and query only. kInvalidArgument for a legacy path prefix with no path behind
// it (/api/v1/watch).
absl::StatusOr<http::RequestInfo> ReadRequestInfo(const http::Request& request);

// True for requests that run until the client leaves, so that no deadline and no in-flight limit
// applies.
bool IsLongRunning(const http::RequestInfo& info);

// The first value of a boolean query parameter as Kubernetes reads it: absent, "0" and "false" (in
// any case) are false, everything else is true.
bool QueryFlag(const http::Request& request, std::string_view key);

// Fills in Request.info. Answers 500, as Kubernetes does, if ReadRequestInfo fails, because no
// access rule can be applied then.
http::Handler WithRequestInfo(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REQUEST_REQUEST_INFO_H_
