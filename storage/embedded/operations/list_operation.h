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
  int64_t revision = 0;  // 0 = each page is of the newest state: the list is no snapshot any more
  std::string after;     // the last key that was returned

  std::string Encode() const;
  // Returns a 400 for text that Encode did not write.
  static absl::StatusOr<ContinueToken> Decode(std::string_view text);
};

// The revision that a client names in a list's options: nullopt for "" and "0". Returns a 400 if
// the text is not a number, and a 504 (too large resource version) if the revision is above
// `newest`.
absl::StatusOr<std::optional<int64_t>> ParseRevision(std::string_view text, int64_t newest);

// One page, at the revision that `options` name (410 if that was dropped), else at `newest`. A page
// of more than some MiB ends early, with a continue token, as if a limit ended it.
absl::StatusOr<kube::ListPage> ListObjects(VersionTable& table, const kube::ResourceType& type,
                                           const ObjectFilter& filter,
                                           const kube::ListOptions& options, int64_t newest);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_OPERATIONS_LIST_OPERATION_H_
