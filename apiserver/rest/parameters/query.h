// Single query parameters as Kubernetes' generated conversions read them
// (k8s.io/apimachinery/pkg/runtime/conversion.go). If a parameter is repeated, its first value
// counts. Pure functions.
#ifndef APISERVER_REST_PARAMETERS_QUERY_H_
#define APISERVER_REST_PARAMETERS_QUERY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"

namespace steward::rest {

// "" when absent.
std::string QueryString(const http::Request& request, std::string_view key);

// Every value of a repeatable parameter, in order.
std::vector<std::string> QueryStrings(const http::Request& request, std::string_view key);

// True unless the value is "0" or "false" (in any case), so an empty value is true; nullopt if the
// parameter is absent.
std::optional<bool> QueryBool(const http::Request& request, std::string_view key);

// An error is 400 in the words of strconv.ParseInt.
absl::StatusOr<std::optional<int64_t>> QueryInt64(const http::Request& request,
                                                  std::string_view key);

}  // namespace steward::rest

#endif  // APISERVER_REST_PARAMETERS_QUERY_H_
