// Decoders of the facts for cleanup; csv_decode.h has the decoder for a ClusterServiceVersion. Pure
// functions, and total: any bytes give facts or an error (kInvalidArgument).
#ifndef OLM_CLEANUP_DECODE_H_
#define OLM_CLEANUP_DECODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "olm/cleanup/facts.h"
#include "olm/csv_decode.h"
#include "olm/object_facts.h"

namespace steward::olm {

absl::StatusOr<InstallNamespaceFacts> DecodeInstallNamespace(std::string_view json);
absl::StatusOr<GroupFacts> DecodeOperatorGroupFacts(std::string_view json);
// Needs only the object's metadata.
absl::StatusOr<CsvDefinitionFacts> DecodeCsvDefinition(std::string_view json);
absl::StatusOr<CrdFacts> DecodeCrdFacts(std::string_view json);
absl::StatusOr<ApiServiceFacts> DecodeApiServiceFacts(std::string_view json);
absl::StatusOr<DeploymentFacts> DecodeDeploymentFacts(std::string_view json);
// Any object; only name and uid are required.
absl::StatusOr<ObjectFacts> DecodeObjectFacts(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_DECODE_H_
