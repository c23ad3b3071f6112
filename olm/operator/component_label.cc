#include "olm/operator/component_label.h"

#include <cstddef>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"

namespace steward::olm {
namespace {

constexpr size_t kMaxName = 63;

}  // namespace

std::string UncutOperatorName(std::string_view name, std::string_view ns) {
  return ns.empty() ? std::string(name) : StrCat(name, ".", ns);
}

absl::StatusOr<std::string> OperatorName(std::string_view uncut) {
  std::string_view name = uncut;
  if (name.size() > kMaxName) {
    name = name.substr(0, kMaxName);
    // npos + 1 = 0: nothing is left.
    name = name.substr(0, name.find_last_not_of("._-") + 1);
  }
  const std::string problem = kube::LabelKeyProblem(ComponentLabel(name));
  if (problem.empty()) return std::string(name);
  return absl::InvalidArgumentError(StrCat("\"", uncut, "\" makes no label: ", problem));
}

std::string ComponentLabel(std::string_view operator_name) {
  return StrCat(kComponentLabelPrefix, operator_name);
}

}  // namespace steward::olm
