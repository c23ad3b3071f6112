// The numbers that virtual resources carry as resourceVersion: a moment of this replica's clock,
// and the state that it showed then. Values.
#ifndef STORAGE_WORLD_NUMBER_H_
#define STORAGE_WORLD_NUMBER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/resource_version.h"
#include "storage/world/source_set.h"

namespace steward::storage {

// The ticks that the clock counts for each revision of etcd.
inline constexpr uint64_t kTicks = 100;

// `clock` orders; `vector` is the state; `mark` says whether a client that has seen everything up
// to this number has that state (kComplete), or is inside a burst of events and may lack any change
// above clock - 10^mark revisions (below kOwn).
struct Number {
  static constexpr int kComplete = kube::PackedVersion::kComplete;
  // The mark of an object's own number, which says when that object changed last: the clock is the
  // newest of the revisions of what it is computed from, and `vector` has them all, as far back as
  // components go. It says nothing of other objects.
  static constexpr int kOwn = 8;

  uint64_t clock = 0;  // ticks
  int mark = kComplete;
  StateVector vector = {};

  // An own number, taken as a revision of etcd: the state of all sources at its clock.
  StateVector AtClock() const;
  // REQUIRES: no component is above the clock.
  std::string ToString() const;
  // Returns kInvalidArgument for text that ToString could not have written.
  static absl::StatusOr<Number> Parse(std::string_view text);
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_NUMBER_H_
