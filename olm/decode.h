// Decoders of the source objects' JSON. Pure functions, and total: any bytes give an object or an
// error.
#ifndef OLM_DECODE_H_
#define OLM_DECODE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "olm/objects.h"

namespace steward::olm {

// Errors (kInvalidArgument): not a JSON object, no name or uid, or metadata that no API server
// would have stored. Spec and status may have any form, because an older definition may have
// admitted them. A ClusterServiceVersion's are passed on unchanged. For an OperatorGroup,
// `unreadable` and `invalid_status` say what cannot be read. Unknown fields are kept within spec
// and status and ignored elsewhere.
absl::StatusOr<NamespacePtr> DecodeNamespace(std::string_view json);
absl::StatusOr<OperatorGroupPtr> DecodeOperatorGroup(std::string_view json);
absl::StatusOr<CsvPtr> DecodeCsv(std::string_view json);

// spec.icon[0] of a ClusterServiceVersion, decoded. kNotFound when there is no icon, kDataLoss when
// the icon is not valid base64.
struct Icon {
  std::string media_type;
  std::string bytes;
};
absl::StatusOr<Icon> DecodeIcon(const Csv& csv);

// Reads only (namespace, name): for deletions, and for objects that cannot be decoded.
absl::StatusOr<kube::NamespacedName> DecodeKey(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_DECODE_H_
