// Decoders of the source objects' JSON. Pure functions, and total: any bytes give an object or an
// error.
#ifndef OLM_DECODE_H_
#define OLM_DECODE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "olm/objects.h"

namespace steward::olm {

// Errors (kInvalidArgument): not a JSON object, no name or uid, or a field of a type that the
// kind's CRD would not have admitted. Unknown fields are kept within spec and status and ignored
// elsewhere.
absl::StatusOr<NamespacePtr> DecodeNamespace(std::string_view json);
absl::StatusOr<OperatorGroupPtr> DecodeOperatorGroup(std::string_view json);
absl::StatusOr<CsvPtr> DecodeCsv(std::string_view json);

// spec.icon[0] of a ClusterServiceVersion, decoded. kNotFound when it has none, kDataLoss when it
// is no base64.
struct Icon {
  std::string media_type;
  std::string bytes;
};
absl::StatusOr<Icon> DecodeIcon(const Csv& csv);

// Reads (namespace, name) alone, for deletions.
absl::StatusOr<kube::NamespacedName> DecodeKey(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_DECODE_H_
