// The faults that OLM, its catalogs or its users find in a bundle's ClusterServiceVersion. Pure
// functions.
#ifndef PLUGIN_BUNDLE_CHECKS_CSV_CHECKS_H_
#define PLUGIN_BUNDLE_CHECKS_CSV_CHECKS_H_

#include <vector>

#include "olm/plan/definition_change.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"

namespace steward::plugin {

// Adds what is wrong with `csv` alone, beside olm::CsvContentProblems.
void CheckCsv(const BundleObject& csv, Findings& findings);

// Adds what is wrong with `csv` when it is compared with the definitions and accounts that the
// bundle brings.
void CheckCsvInBundle(const BundleObject& csv, const BundleFolder& bundle,
                      const std::vector<olm::Definition>& definitions, Findings& findings);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_CHECKS_CSV_CHECKS_H_
