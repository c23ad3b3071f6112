// The facts that cleanup decides by, out of the API server's JSON; those of a
// ClusterServiceVersion are in csv_decode.h. Pure and total: any bytes give facts or an error
// (kInvalidArgument).
#ifndef OLM_CLEANUP_DECODE_H_
#define OLM_CLEANUP_DECODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "olm/cleanup/csv_decode.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/object_facts.h"

namespace steward::olm {

absl::StatusOr<InstallNamespaceFacts> DecodeInstallNamespace(std::string_view json);
absl::StatusOr<GroupFacts> DecodeGroupFacts(std::string_view json);
// Its metadata suffices.
absl::StatusOr<CsvDefinitionFacts> DecodeCsvDefinition(std::string_view json);
absl::StatusOr<CrdFacts> DecodeCrdFacts(std::string_view json);
absl::StatusOr<ApiServiceFacts> DecodeApiServiceFacts(std::string_view json);
absl::StatusOr<DeploymentFacts> DecodeDeploymentFacts(std::string_view json);
// REQUIRES nothing of the rest of the object. An error without name or uid.
absl::StatusOr<ObjectFacts> DecodeObjectFacts(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_DECODE_H_
