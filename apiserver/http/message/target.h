// The request target: path and query, decoded. Values and pure functions.
#ifndef APISERVER_HTTP_MESSAGE_TARGET_H_
#define APISERVER_HTTP_MESSAGE_TARGET_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward::http {

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

// No legitimate request has more.
inline constexpr size_t kMaxQueryParameters = 1000;

struct Target {
  std::string path;  // percent-decoded; begins with '/'
  QueryPairs query;  // decoded, in order
};

// Parses an origin-form ("/p?q") or absolute-form ("https://host/p?q") target (RFC 9112 section
// 3.2) as Go's net/url does: '+' is a space in the query only, empty pairs are skipped, a pair
// without '=' has an empty value. kInvalidArgument for anything else: other forms, control
// characters, bad percent escapes, more than kMaxQueryParameters, and a semicolon in the query,
// which some parsers treat as a separator.
absl::StatusOr<Target> ParseTarget(std::string_view target);

}  // namespace steward::http

#endif  // APISERVER_HTTP_MESSAGE_TARGET_H_
