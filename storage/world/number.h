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

// `clock` orders numbers. `vector` is the state. `mark` says what a client has that has seen
// everything up to this number. kComplete: exactly that state. Below kOwn: the client is inside a
// burst of events, and may lack any change above the revision of `clock` - 10^mark. kOwn: see
// below.
struct Number {
  static constexpr int kComplete = kube::PackedVersion::kComplete;
  // The mark of an object's own number, which says when that object changed last, and nothing of
  // other objects. `vector` has the revisions of the object's inputs, as far back as components go.
  // `clock` is the newest of them.
  static constexpr int kOwn = 8;

  uint64_t clock = 0;  // ticks
  int mark = kComplete;
  StateVector vector = {};

  // For an own number: the state in which every source is at the revision of `clock`.
  StateVector AtClock() const;
  // REQUIRES: no component is above the clock.
  std::string ToString() const;
  // Returns kInvalidArgument for text that ToString could not have written.
  static absl::StatusOr<Number> Parse(std::string_view text);
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_NUMBER_H_
