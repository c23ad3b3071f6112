#include "storage/operators/touched_operators.h"

#include "storage/operators/operator_world.h"

namespace steward::storage {

TouchedOperators TouchedOperators::Of(const Touched& touched) {
  TouchedOperators operators;
  for (const auto& [source, key] : touched.objects) {
    if (source == kCsvSource) {
      operators.csvs.insert(*key);
    } else if (source == kOperatorGroupSource) {
      operators.installs.insert(key->ns);
    } else {
      operators.namespaces.insert(key->name);
    }
  }
  return operators;
}

}  // namespace steward::storage
