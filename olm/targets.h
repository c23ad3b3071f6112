// The namespaces that an OperatorGroup targets, and the install mode that follows. Pure functions.
#ifndef OLM_TARGETS_H_
#define OLM_TARGETS_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/meta/selector.h"
#include "olm/objects.h"

namespace steward::olm {

enum class TargetKind {
  kNone,      // the spec is invalid, or cannot be read
  kAll,       // the spec has neither list nor selector
  kList,      // spec.targetNamespaces; wins over a selector
  kSelector,  // namespaces whose labels match
};
TargetKind KindOfTargets(const OperatorGroup& group);

// True when `group` targets the namespace of this name and labels.
bool Targets(const OperatorGroup& group, std::string_view ns, const kube::LabelMap& labels);

enum class InstallMode { kOwnNamespace, kSingleNamespace, kMultiNamespace, kAllNamespaces };
// "OwnNamespace", ...
std::string_view ToString(InstallMode mode);

// A summary of a group's targets: all that the install mode depends on.
struct TargetSummary {
  bool all = false;
  size_t count = 0;           // distinct namespaces; 0 when `all`
  bool includes_own = false;  // the targets include the operator's own namespace

  bool operator==(const TargetSummary&) const = default;
};

// The mode in which an operator runs for `targets`; nullopt when there are none.
std::optional<InstallMode> ModeFor(const TargetSummary& targets);

// spec.installModes of a ClusterServiceVersion.
struct InstallModeSupport {
  InstallMode mode;
  bool supported = false;
};
// Reads `spec`, and skips entries that are not valid modes.
std::vector<InstallModeSupport> InstallModesOf(const boost::json::object& spec);

// OK when an operator with these modes may run for `targets`; otherwise OLM's message for its
// reason UnsupportedOperatorGroup (or InvalidInstallModes for a mode named twice,
// NoTargetNamespaces for an empty set). A mode that `modes` lacks is not supported.
absl::Status CheckInstallModes(const std::vector<InstallModeSupport>& modes,
                               const TargetSummary& targets);

}  // namespace steward::olm

#endif  // OLM_TARGETS_H_
