#include "storage/world/world.h"

#include <algorithm>

namespace steward::storage {

bool World::synced() const {
  const std::span<const SourceState> all = sources();
  return std::all_of(all.begin(), all.end(), [](const SourceState& s) { return s.synced; });
}

bool World::connected() const {
  const std::span<const SourceState> all = sources();
  return std::all_of(all.begin(), all.end(), [](const SourceState& s) { return s.connected; });
}

StateVector World::Vector() const {
  StateVector vector = {};
  for (size_t i = 0; i < set_->count; ++i) vector[i] = sources_[i].component;
  return vector;
}

bool World::HasReached(const StateVector& vector) const {
  for (size_t i = 0; i < set_->count; ++i) {
    if (sources_[i].history.Knows(vector[i]) == Knowledge::kNotYet) return false;
  }
  return true;
}

bool World::IsGone(const StateVector& vector) const {
  for (size_t i = 0; i < sources().size(); ++i) {
    if (sources_[i].history.IsGone(vector[i])) return true;
  }
  return false;
}

Knowledge World::Knows(const StateVector& vector) const {
  for (size_t i = set_->count; i < vector.size(); ++i) {
    if (vector[i] != 0) return Knowledge::kForgotten;
  }
  Knowledge all = Knowledge::kKnown;
  for (size_t i = 0; i < set_->count; ++i) {
    const Knowledge one = sources_[i].history.Knows(vector[i]);
    if (one == Knowledge::kForgotten) return one;
    if (one == Knowledge::kNotYet) all = one;
  }
  return all;
}

}  // namespace steward::storage
