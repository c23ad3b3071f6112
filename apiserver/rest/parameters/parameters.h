// Query parameters of reads, with Kubernetes' codes and wording
// (k8s.io/apimachinery/pkg/apis/meta/internalversion/validation and the generated conversions).
// Values and pure functions.
//
// Unknown parameters are ignored. If a parameter is repeated, its first value counts. Every error
// carries a Kubernetes Status: 400, or 422 with causes for combinations of ListOptions.
#ifndef APISERVER_REST_PARAMETERS_PARAMETERS_H_
#define APISERVER_REST_PARAMETERS_PARAMETERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/resource.h"

namespace steward::rest {

// The parameters of a list or a watch.
struct ListParameters {
  Selection selection;  // its namespace is the request's
  // For a list with limit and resourceVersion but without resourceVersionMatch, the match is set to
  // "Exact", because clients that page through one snapshot rely on it. For a resource without
  // pages, limit has no other effect. A continue token determines the state by itself: version and
  // match are then empty.
  ReadOptions read;

  bool watch = false;
  // The other members apply to a watch only.
  bool allow_bookmarks = false;
  bool send_initial_events = false;
  std::optional<int64_t> timeout_seconds;
};
absl::StatusOr<ListParameters> ParseListParameters(const http::Request& request,
                                                   const Resource& resource);

absl::StatusOr<ReadOptions> ParseGetParameters(const http::Request& request);

// The parameters of a subresource with pages.
struct PageParameters {
  int64_t limit = 0;  // 0 = none
  std::string continue_token;
};
absl::StatusOr<PageParameters> ParsePageParameters(const http::Request& request);

// The object that each row of a Table includes.
enum class IncludeObject { kMetadata, kNone, kObject };
absl::StatusOr<IncludeObject> ParseIncludeObject(const http::Request& request);

}  // namespace steward::rest

#endif  // APISERVER_REST_PARAMETERS_PARAMETERS_H_
