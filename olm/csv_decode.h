// Decoders of the facts that cleanup needs from a ClusterServiceVersion's JSON. Pure functions, and
// total: any bytes give facts or an error (kInvalidArgument).
#ifndef OLM_CSV_DECODE_H_
#define OLM_CSV_DECODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "olm/csv_facts.h"

namespace steward::olm {

absl::StatusOr<CsvFacts> DecodeCsvFacts(std::string_view json, const CsvTerms& terms = {});
// For watched objects, with the default terms and without facts.resource_version. Skips members of
// the status that do not have their expected shape.
absl::StatusOr<CsvCleanup> DecodeCsvCleanup(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_CSV_DECODE_H_
