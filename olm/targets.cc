#include "olm/targets.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::olm {

TargetKind KindOfTargets(const OperatorGroup& group) {
  if (!group.invalid.empty() || !group.unreadable.empty()) return TargetKind::kNone;
  if (!group.target_namespaces.empty()) return TargetKind::kList;
  if (group.selector && !group.selector->empty()) return TargetKind::kSelector;
  return TargetKind::kAll;
}

bool Targets(const OperatorGroup& group, std::string_view ns, const kube::LabelMap& labels) {
  switch (KindOfTargets(group)) {
    case TargetKind::kNone:
      return false;
    case TargetKind::kAll:
      return true;
    case TargetKind::kList:
      return std::find(group.target_namespaces.begin(), group.target_namespaces.end(), ns) !=
             group.target_namespaces.end();
    case TargetKind::kSelector:
      return group.selector->Matches(labels);
  }
  return false;
}

std::string_view ToString(InstallMode mode) {
  switch (mode) {
    case InstallMode::kOwnNamespace:
      return "OwnNamespace";
    case InstallMode::kSingleNamespace:
      return "SingleNamespace";
    case InstallMode::kMultiNamespace:
      return "MultiNamespace";
    case InstallMode::kAllNamespaces:
      return "AllNamespaces";
  }
  return "";
}

std::optional<InstallMode> ModeFor(const TargetSummary& targets) {
  if (targets.all) return InstallMode::kAllNamespaces;
  if (targets.count == 0) return std::nullopt;
  if (targets.count > 1) return InstallMode::kMultiNamespace;
  return targets.includes_own ? InstallMode::kOwnNamespace : InstallMode::kSingleNamespace;
}

std::vector<InstallModeSupport> InstallModesOf(const boost::json::object& spec) {
  std::vector<InstallModeSupport> modes;
  const boost::json::array* list = ArrayAt(spec, "installModes");
  for (const boost::json::value& each : list == nullptr ? boost::json::array() : *list) {
    if (!each.is_object()) continue;
    for (const InstallMode mode : {InstallMode::kOwnNamespace, InstallMode::kSingleNamespace,
                                   InstallMode::kMultiNamespace, InstallMode::kAllNamespaces}) {
      if (StringAt(each.get_object(), "type") != ToString(mode)) continue;
      modes.push_back({mode, BoolAt(each.get_object(), "supported")});
    }
  }
  return modes;
}

absl::Status CheckInstallModes(const std::vector<InstallModeSupport>& modes,
                               const TargetSummary& targets) {
  std::array<std::optional<bool>, 4> supported;
  for (const InstallModeSupport& entry : modes) {
    auto& slot = supported[static_cast<size_t>(entry.mode)];
    if (slot) {
      return absl::InvalidArgumentError(
          StrCat("InstallMode list contains duplicates, cannot make set: ", ToString(entry.mode)));
    }
    slot = entry.supported;
  }
  const auto refuse = [](InstallMode mode, const std::string& what) {
    return absl::FailedPreconditionError(
        StrCat(ToString(mode), " InstallModeType not supported, cannot configure to watch ", what));
  };
  const auto supports = [&](InstallMode mode) {
    return supported[static_cast<size_t>(mode)].value_or(false);
  };
  const std::optional<InstallMode> mode = ModeFor(targets);
  if (!mode) return absl::NotFoundError("no targetNamespaces are matched");
  if (!supports(*mode)) {
    switch (*mode) {
      case InstallMode::kOwnNamespace:
        return refuse(*mode, "own namespace");
      case InstallMode::kSingleNamespace:
        return refuse(*mode, "one namespace");
      case InstallMode::kMultiNamespace:
        return refuse(*mode, StrCat(targets.count, " namespaces"));
      case InstallMode::kAllNamespaces:
        return refuse(*mode, "all namespaces");
    }
  }
  if (*mode == InstallMode::kMultiNamespace && targets.includes_own &&
      !supports(InstallMode::kOwnNamespace)) {
    return refuse(InstallMode::kOwnNamespace, "own namespace");
  }
  return absl::OkStatus();
}

}  // namespace steward::olm
