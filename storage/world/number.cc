#include "storage/world/number.h"

#include "base/status/macros.h"

namespace steward::storage {

std::string Number::ToString() const {
  kube::PackedVersion packed;
  packed.clock = clock / kTicks;
  packed.sub = static_cast<uint32_t>(clock % kTicks);
  packed.mark = mark;
  packed.csv = vector[static_cast<size_t>(Source::kCsv)];
  packed.operator_group = vector[static_cast<size_t>(Source::kOperatorGroup)];
  packed.namespaces = vector[static_cast<size_t>(Source::kNamespace)];
  return kube::Pack(packed);
}

absl::StatusOr<Number> Number::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(const kube::PackedVersion packed, kube::Unpack(text));
  Number number;
  number.clock = packed.clock * kTicks + packed.sub;
  number.mark = packed.mark;
  number.vector = {packed.csv.value_or(0), packed.operator_group.value_or(0),
                   packed.namespaces.value_or(0)};
  return number;
}

}  // namespace steward::storage
