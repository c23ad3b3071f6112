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
// would have stored. Spec and status may have any form, since an older definition may have admitted
// it: a ClusterServiceVersion's is passed on as it is, and an OperatorGroup whose spec or status
// cannot be read says so (unreadable, invalid_status). Unknown fields are kept within spec and
// status and ignored elsewhere.
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

// Reads (namespace, name) alone, for deletions and for objects that cannot be read.
absl::StatusOr<kube::NamespacedName> DecodeKey(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_DECODE_H_
