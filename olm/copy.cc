#include "olm/copy.h"

#include <algorithm>
#include <array>

#include "base/text/str_cat.h"

namespace steward::olm {

bool CopyKeepsLabel(std::string_view key) { return !key.starts_with("operators.coreos.com/"); }

bool CopyKeepsAnnotation(std::string_view key) {
  return key != "olm.targetNamespaces" && key != "kubectl.kubernetes.io/last-applied-configuration";
}

std::string CopiedMessage(std::string_view install_namespace) {
  return StrCat("The operator is running in ", install_namespace,
                " but is managing this namespace");
}

bool IsCopied(const CopyMarks& marks) {
  return marks.reason == kReasonCopied || marks.has_copied_from_label ||
         (marks.operator_namespace_annotation && *marks.operator_namespace_annotation != marks.ns);
}

bool IsUncopiable(std::string_view phase, std::string_view reason) {
  static constexpr std::array<std::string_view, 8> kReasons = {
      "Copied",
      "InvalidInstallModes",
      "NoTargetNamespaces",
      "UnsupportedOperatorGroup",
      "NoOperatorGroup",
      "TooManyOperatorGroups",
      "InterOperatorGroupOwnerConflict",
      "CannotModifyStaticOperatorGroupProvidedAPIs",
  };
  return phase.empty() || std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end();
}

}  // namespace steward::olm
