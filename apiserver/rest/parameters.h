// Query parameters of reads, with Kubernetes' codes and wording
// (k8s.io/apimachinery/pkg/apis/meta/internalversion/validation and the generated conversions).
//
// Unknown parameters are ignored, and of a repeated one the first counts. Every error carries a
// Kubernetes Status: 400, or 422 with causes for combinations of ListOptions.
#ifndef APISERVER_REST_PARAMETERS_H_
#define APISERVER_REST_PARAMETERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/resource.h"

namespace steward::rest {

// Of a list or a watch.
struct ListParameters {
  Selection selection;  // its namespace is the request's
  // For a list with a limit and a number but no match, the match is "Exact": what clients that
  // page through one snapshot rely on. Where the resource doesn't page, the limit has no other
  // effect. With a continue token, the token alone says which state is read.
  ReadOptions read;

  bool watch = false;
  // The rest means something to a watch only.
  bool allow_bookmarks = false;
  bool send_initial_events = false;
  std::optional<int64_t> timeout_seconds;
};
absl::StatusOr<ListParameters> ParseListParameters(const http::Request& request,
                                                   const Resource& resource);

absl::StatusOr<ReadOptions> ParseGetParameters(const http::Request& request);

// Of a subresource that comes in pages.
struct PageParameters {
  int64_t limit = 0;  // 0 = none was given
  std::string continue_token;
};
absl::StatusOr<PageParameters> ParsePageParameters(const http::Request& request);

// What a Table's rows carry beside their cells.
enum class IncludeObject { kMetadata, kNone, kObject };
absl::StatusOr<IncludeObject> ParseIncludeObject(const http::Request& request);

}  // namespace steward::rest

#endif  // APISERVER_REST_PARAMETERS_H_
