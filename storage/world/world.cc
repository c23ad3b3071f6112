#include "storage/world/world.h"

#include <algorithm>

namespace steward::storage {

const std::vector<std::string>& World::InstallsTargeting(const std::string& ns) const {
  static const std::vector<std::string>& none = *new std::vector<std::string>;
  const auto* installs = targeting_.Find(ns);
  return installs == nullptr ? none : **installs;
}

bool World::synced() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const SourceState& s) { return s.synced; });
}

bool World::connected() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const SourceState& s) { return s.connected; });
}

StateVector World::Vector() const {
  StateVector vector;
  for (size_t i = 0; i < kSources; ++i) vector[i] = sources_[i].component;
  return vector;
}

bool World::HasReached(const StateVector& vector) const {
  for (size_t i = 0; i < kSources; ++i) {
    if (sources_[i].history.Knows(vector[i]) == Knowledge::kNotYet) return false;
  }
  return true;
}

Knowledge World::Knows(const StateVector& vector) const {
  Knowledge all = Knowledge::kKnown;
  for (size_t i = 0; i < kSources; ++i) {
    const Knowledge one = sources_[i].history.Knows(vector[i]);
    if (one == Knowledge::kForgotten) return one;
    if (one == Knowledge::kNotYet) all = one;
  }
  return all;
}

}  // namespace steward::storage
