// Operands that a cleanup waits for. Values.
#ifndef OLM_CLEANUP_PENDING_OPERAND_H_
#define OLM_CLEANUP_PENDING_OPERAND_H_

#include <compare>
#include <cstddef>
#include <string>

namespace steward::olm {

inline constexpr size_t kMaxPendingInstances = 100;  // R-000-67

// A custom resource that a cleanup waits for.
struct PendingOperand {
  std::string group;
  std::string kind;
  std::string ns;  // "" = cluster-scoped
  std::string name;
  auto operator<=>(const PendingOperand&) const = default;
};

// The number of such operands of one kind.
struct PendingKind {
  std::string group;
  std::string kind;
  size_t count = 0;
  auto operator<=>(const PendingKind&) const = default;
};

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PENDING_OPERAND_H_
