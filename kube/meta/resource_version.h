// Resource versions: decimal numbers that order an object's states (KEP-5504), and the packed form
// in which the virtual resources put a whole vector of them into one number.
#ifndef KUBE_META_RESOURCE_VERSION_H_
#define KUBE_META_RESOURCE_VERSION_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward::kube {

// Below 10^38 every number is also below 2^128, the bound of Kubernetes' conformance tests.
inline constexpr size_t kMaxResourceVersionDigits = 38;

// True for a number above 0 in canonical form: digits only, no sign, no leading zero, at most 38
// digits. "" and "0", which parameters may also be ("most recent" and "any"), are not numbers of a
// state.
bool IsResourceVersion(std::string_view text);
// OK for "", "0" and what IsResourceVersion accepts; else InvalidArgument in Kubernetes' wording,
// for a 400.
absl::Status CheckResourceVersionParameter(std::string_view text);

// Numeric order of two canonical decimal numbers of any length ("" counts as less than "0").
std::strong_ordering CompareResourceVersions(std::string_view a, std::string_view b);

// What a virtual resource's number says. Written as decimal digits, fixed widths:
//   clock 12 | sub 2 | mark 1 | csv 7 | operator group 7 | namespace 7
// without the clock's leading zeros. A component is stored as 9,999,999 - (clock - component), so
// progress of any part makes the number larger, and 0 stands for a component too far back to resume
// from.
struct PackedVersion {
  static constexpr int kComplete =
      9;  // a mark m below: inside a burst that reaches back 10^m revisions

  uint64_t clock = 0;  // reads as an etcd revision
  uint32_t sub = 0;    // orders visible changes at one clock
  int mark = kComplete;
  // Revisions of the sources' states; nullopt = too far back.
  std::optional<uint64_t> csv;
  std::optional<uint64_t> operator_group;
  std::optional<uint64_t> namespaces;

  bool operator==(const PackedVersion&) const = default;
};

// REQUIRES: 1 <= clock < 10^12, sub < 100, 0 <= mark <= 9, components <= clock. Components
// 9,999,999 or more behind the clock become nullopt in the number.
std::string Pack(const PackedVersion& version);
// InvalidArgument when `text` is not a number that Pack could have written. Component 0, a revision
// that etcd doesn't have, reads as nullopt.
absl::StatusOr<PackedVersion> Unpack(std::string_view text);

}  // namespace steward::kube

#endif  // KUBE_META_RESOURCE_VERSION_H_
