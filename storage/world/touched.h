// What the logs say was touched between two states.
#ifndef STORAGE_WORLD_TOUCHED_H_
#define STORAGE_WORLD_TOUCHED_H_

#include <cstdint>
#include <set>
#include <string>

#include "kube/meta/names.h"
#include "storage/world/world.h"

namespace steward::storage {

struct Touched {
  std::set<kube::NamespacedName> csvs;
  std::set<std::string> installs;    // namespaces whose OperatorGroups changed
  std::set<std::string> namespaces;  // Namespace objects
  // All of it happened above this revision; the largest number if nothing did.
  uint64_t floor = UINT64_MAX;

  bool empty() const { return csvs.empty() && installs.empty() && namespaces.empty(); }
};

// The changes after `from` up to `to`, by the logs of `world`. REQUIRES: it knows both.
Touched TouchedBetween(const World& world, const StateVector& from, const StateVector& to);

}  // namespace steward::storage

#endif  // STORAGE_WORLD_TOUCHED_H_
