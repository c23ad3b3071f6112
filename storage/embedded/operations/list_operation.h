// The list verb: pages of one snapshot. Not thread-safe, like the VersionTable that it reads.
#ifndef STORAGE_EMBEDDED_OPERATIONS_LIST_OPERATION_H_
#define STORAGE_EMBEDDED_OPERATIONS_LIST_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/operations/object_filter.h"
#include "storage/embedded/table/version_table.h"

namespace steward::storage {

// The place where a list continues.
struct ContinueToken {
  int64_t revision = 0;  // 0 = the present one at each page: the list is no longer a snapshot
  std::string after;     // the last key that was returned

  std::string Encode() const;
  // Returns a 400 for text that Encode did not write.
  static absl::StatusOr<ContinueToken> Decode(std::string_view text);
};

// The revision that a client names in a list's options: nullopt for "" and "0". Returns a 400 when
// the text is no number, and a 504 (too large resource version) when it is above `newest`.
absl::StatusOr<std::optional<int64_t>> ParseRevision(std::string_view text, int64_t newest);

// One page, at the revision that the options name (410 when it was dropped) or else at `newest`. A
// page ends early rather than hold more than some MiB; then it has a continue token, as with a
// limit.
absl::StatusOr<kube::ListPage> ListObjects(VersionTable& table, const kube::ResourceType& type,
                                           const ObjectFilter& filter,
                                           const kube::ListOptions& options, int64_t newest);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_OPERATIONS_LIST_OPERATION_H_
