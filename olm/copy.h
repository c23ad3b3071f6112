// OLM's copies of ClusterServiceVersions: their content, and the originals that OLM copies. Pure
// functions.
#ifndef OLM_COPY_H_
#define OLM_COPY_H_

#include <optional>
#include <string>
#include <string_view>

#include "kube/meta/names.h"

namespace steward::olm {

inline constexpr std::string_view kCopiedFromLabel = "olm.copiedFrom";
inline constexpr std::string_view kOperatorNamespaceAnnotation = "olm.operatorNamespace";
inline constexpr std::string_view kReasonCopied = "Copied";
// The administrator's opt-in to cleanup (R-000-32).
inline constexpr std::string_view kCleanupFinalizer =
    "operatorframework.io/delete-custom-resources";

// Copies drop OLM's component labels, `operators.coreos.com/...`.
bool CopyKeepsLabel(std::string_view key);
// Copies drop olm.targetNamespaces, because it would show a tenant the namespaces of others, and
// kubectl's last-applied-configuration.
bool CopyKeepsAnnotation(std::string_view key);

// The status message of a copy whose original lies in `install_namespace`.
std::string CopiedMessage(std::string_view install_namespace);

// The fields that decide whether a ClusterServiceVersion is a copy.
struct CopyMarks {
  std::string_view ns;
  std::string_view reason;
  bool has_copied_from_label = false;  // with any value, even ""
  std::optional<std::string_view> operator_namespace_annotation;
};
bool IsCopied(const CopyMarks& marks);

// True for ClusterServiceVersions that OLM does not copy: those without a phase, copies, and those
// that failed because of their install modes or their OperatorGroup.
bool IsUncopiable(std::string_view phase, std::string_view reason);

}  // namespace steward::olm

#endif  // OLM_COPY_H_
