// Operands that a cleanup waits for. Values.
#ifndef OLM_PENDING_OPERAND_H_
#define OLM_PENDING_OPERAND_H_

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace steward::olm {

inline constexpr size_t kMaxPendingInstances = 100;  // R-000-67

// A custom resource that a cleanup waits for, or its definition if that is being deleted.
struct PendingOperand {
  std::string group;
  std::string kind;
  std::string ns;  // "" = cluster-scoped
  std::string name;
  auto operator<=>(const PendingOperand&) const = default;
};

// The kind of definitions. A cleanup waits for definitions, but does not count them as custom
// resources.
inline constexpr std::string_view kDefinitionGroup = "apiextensions.k8s.io";
inline constexpr std::string_view kDefinitionKind = "CustomResourceDefinition";
template <typename Operand>
bool IsDefinition(const Operand& operand) {
  return operand.group == kDefinitionGroup && operand.kind == kDefinitionKind;
}

// The number of pending operands of one kind.
struct PendingKind {
  std::string group;
  std::string kind;
  size_t count = 0;
  auto operator<=>(const PendingKind&) const = default;
};

}  // namespace steward::olm

#endif  // OLM_PENDING_OPERAND_H_
