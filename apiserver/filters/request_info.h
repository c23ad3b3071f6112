// Reads from a request what it asks for, as Kubernetes' RequestInfoFactory does
// (k8s.io/apiserver/pkg/endpoints/request/requestinfo.go): authorization stands on this reading.
#ifndef APISERVER_FILTERS_REQUEST_INFO_H_
#define APISERVER_FILTERS_REQUEST_INFO_H_

#include "absl/status/statusor.h"
#include "apiserver/http/message.h"

namespace steward::filters {

// Uses method, path and query only. kInvalidArgument for a legacy path prefix with nothing behind
// it (/api/v1/watch).
absl::StatusOr<http::RequestInfo> ReadRequestInfo(const http::Request& request);

// Runs until the client goes, so no deadline and no in-flight limit applies.
bool IsLongRunning(const http::RequestInfo& info);

// The first value of a boolean query parameter as Kubernetes reads it: absent, "0" and "false" (in
// any case) are false, everything else is true.
bool QueryFlag(const http::Request& request, std::string_view key);

// Fills in Request.info. Unreadable: 500 as upstream, since no rule could be applied to it.
http::Handler WithRequestInfo(http::Handler next);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REQUEST_INFO_H_
