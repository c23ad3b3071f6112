// The objects that were touched between two states of an OperatorWorld, by kind. A value.
#ifndef STORAGE_OPERATORS_TOUCHED_OPERATORS_H_
#define STORAGE_OPERATORS_TOUCHED_OPERATORS_H_

#include <set>
#include <string>

#include "kube/meta/names.h"
#include "storage/world/touched.h"

namespace steward::storage {

struct TouchedOperators {
  std::set<kube::NamespacedName> csvs;
  std::set<std::string> installs;    // namespaces whose OperatorGroups changed
  std::set<std::string> namespaces;  // Namespace objects

  // REQUIRES: `touched` is of kOperatorSources.
  static TouchedOperators Of(const Touched& touched);

  bool empty() const { return csvs.empty() && installs.empty() && namespaces.empty(); }
};

}  // namespace steward::storage

#endif  // STORAGE_OPERATORS_TOUCHED_OPERATORS_H_
