// The labels by which objects are components of Operators, and the Operators' names. Pure
// functions.
#ifndef OLM_OPERATOR_COMPONENT_LABEL_H_
#define OLM_OPERATOR_COMPONENT_LABEL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::olm {

// An object with the label kComponentLabelPrefix + NAME, of any value, is a component of the
// Operator NAME.
inline constexpr std::string_view kComponentLabelPrefix = "operators.coreos.com/";

// `<name>.<ns>`: the name of a Subscription's package, or of a ClusterServiceVersion that no
// Subscription installs, in its namespace (R-004-13).
std::string UncutOperatorName(std::string_view name, std::string_view ns);

// The name cut as OLM cuts it to fit into a label's key: to its first 63 characters, then without
// '.', '_' and '-' at the end. Different names can become equal. kInvalidArgument if the result is
// not a valid name of a label.
absl::StatusOr<std::string> OperatorName(std::string_view uncut);

// The key of the label of this Operator's components.
std::string ComponentLabel(std::string_view operator_name);

}  // namespace steward::olm

#endif  // OLM_OPERATOR_COMPONENT_LABEL_H_
