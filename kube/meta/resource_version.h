// Resource versions: decimal numbers that order an object's states (KEP-5504), and the packed form
// in which the virtual resources put a whole vector of them into one number. Values and pure
// functions.
#ifndef KUBE_META_RESOURCE_VERSION_H_
#define KUBE_META_RESOURCE_VERSION_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward::kube {

// Every number below 10^38 is also below 2^128, the limit of Kubernetes' conformance tests.
inline constexpr size_t kMaxResourceVersionDigits = 38;

// True for a number above 0 in canonical form: digits only, no sign, no leading zero, at most 38
// digits. "" and "0", which are valid parameters, too ("most recent" and "any"), are not numbers of
// a state.
bool IsResourceVersion(std::string_view text);
// Returns "", "0" and any text that IsResourceVersion accepts unchanged. Other digits lose their
// leading zeros; "00" becomes "", so it asks for the most recent state. Anything else is
// InvalidArgument with Kubernetes' wording, for a 400.
absl::StatusOr<std::string> ParseResourceVersionParameter(std::string_view text);

// The numeric order of two canonical decimal numbers of any length ("" counts as less than "0").
std::strong_ordering CompareResourceVersions(std::string_view a, std::string_view b);

// The content of a virtual resource's number. It is written as decimal digits, in fixed widths:
//   clock 12 | sub 2 | mark 1 | component 7 | component 7 | component 7
// without the clock's leading zeros. The resource knows which source each component belongs to; a
// resource with fewer than three sources leaves the last components empty. A component is stored as
// 9,999,999 - (clock - component), so progress of any part makes the number larger, and 0 stands
// for no component, or a component too far back to resume from.
struct PackedVersion {
  static constexpr size_t kComponents = 3;
  static constexpr int kComplete =
      9;  // a lower mark m: inside a burst that reaches back 10^m revisions

  uint64_t clock = 0;  // reads as an etcd revision
  uint32_t sub = 0;    // orders visible changes at one clock
  int mark = kComplete;
  // The revisions of the sources' states; nullopt = none, or too far back.
  std::array<std::optional<uint64_t>, kComponents> components;

  bool operator==(const PackedVersion&) const = default;
};

// REQUIRES: 1 <= clock < 10^12, sub < 100, 0 <= mark <= 9, components <= clock. Components
// 9,999,999 or more behind the clock become nullopt in the number.
std::string Pack(const PackedVersion& version);
// Returns InvalidArgument when Pack could not have written `text`. Component 0, a revision that
// etcd doesn't have, reads as nullopt.
absl::StatusOr<PackedVersion> Unpack(std::string_view text);

}  // namespace steward::kube

#endif  // KUBE_META_RESOURCE_VERSION_H_
