// What cleanup reads of a ClusterServiceVersion, out of the API server's JSON. Pure and total: any
// bytes give facts or an error (kInvalidArgument).
#ifndef OLM_CLEANUP_CSV_DECODE_H_
#define OLM_CLEANUP_CSV_DECODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "olm/cleanup/csv_facts.h"

namespace steward::olm {

absl::StatusOr<CsvFacts> DecodeCsvFacts(std::string_view json);
// For what is watched: facts.resource_version is left out. What of the status is not of the shape
// that it should have is not there.
absl::StatusOr<CsvCleanup> DecodeCsvCleanup(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_CSV_DECODE_H_
