// The facts that cleanup decides by, out of the API server's JSON. Pure and total: any bytes give
// facts or an error (kInvalidArgument).
#ifndef OLM_CLEANUP_DECODE_H_
#define OLM_CLEANUP_DECODE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/cleanup/facts.h"

namespace steward::olm {

absl::StatusOr<CsvFacts> DecodeCsvFacts(std::string_view json, const CsvTerms& terms = {});
absl::StatusOr<InstallNamespaceFacts> DecodeInstallNamespace(std::string_view json);
absl::StatusOr<GroupFacts> DecodeGroupFacts(std::string_view json);
absl::StatusOr<CrdFacts> DecodeCrdFacts(std::string_view json);
absl::StatusOr<ApiServiceFacts> DecodeApiServiceFacts(std::string_view json);
absl::StatusOr<DeploymentFacts> DecodeDeploymentFacts(std::string_view json);

// What cleanup reads of any object's metadata.
struct ObjectFacts {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  std::string deletion_timestamp;  // "" = it is not being deleted
  std::vector<std::string> finalizers;
  kube::LabelMap labels;

  bool deleting() const { return !deletion_timestamp.empty(); }
  bool HasFinalizer(std::string_view name) const;
  bool operator==(const ObjectFacts&) const = default;
};
// REQUIRES nothing of the rest of the object. An error without name or uid.
absl::StatusOr<ObjectFacts> DecodeObjectFacts(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_DECODE_H_
