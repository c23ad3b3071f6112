#include "storage/world/number.h"

#include <cstddef>

#include "base/status/macros.h"

namespace steward::storage {

StateVector Number::AtClock() const {
  StateVector state;
  state.fill(clock / kTicks);
  return state;
}

std::string Number::ToString() const {
  kube::PackedVersion packed;
  packed.clock = clock / kTicks;
  packed.sub = static_cast<uint32_t>(clock % kTicks);
  packed.mark = mark;
  for (size_t i = 0; i < vector.size(); ++i) {
    if (vector[i] != 0) packed.components[i] = vector[i];
  }
  return kube::Pack(packed);
}

absl::StatusOr<Number> Number::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(const kube::PackedVersion packed, kube::Unpack(text));
  Number number;
  number.clock = packed.clock * kTicks + packed.sub;
  number.mark = packed.mark;
  for (size_t i = 0; i < number.vector.size(); ++i) {
    number.vector[i] = packed.components[i].value_or(0);
  }
  return number;
}

}  // namespace steward::storage
