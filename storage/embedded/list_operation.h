// The list verb: pages of one snapshot.
#ifndef STORAGE_EMBEDDED_LIST_OPERATION_H_
#define STORAGE_EMBEDDED_LIST_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/object_filter.h"
#include "storage/embedded/version_table.h"

namespace steward::storage {

// Where a list goes on.
struct ContinueToken {
  int64_t revision = 0;  // 0 = the present one, whatever it is: the list is no snapshot any more
  std::string after;     // the last key that was given out

  std::string Encode() const;
  // 400 for what Encode did not write.
  static absl::StatusOr<ContinueToken> Decode(std::string_view text);
};

// What a number of a client means here: nullopt for "" and "0". 400 when it is none, 504 (too large
// resource version) when it is above `newest`.
absl::StatusOr<std::optional<int64_t>> ParseRevision(std::string_view text, int64_t newest);

// One page, at the revision that the options ask for (410 when it was dropped) or else at `newest`.
// A page ends early rather than hold more than some MiB; then it has a continue token, as with a
// limit.
absl::StatusOr<kube::ListPage> ListObjects(VersionTable& table, const kube::ResourceType& type,
                                           const ObjectFilter& filter,
                                           const kube::ListOptions& options, int64_t newest);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LIST_OPERATION_H_
