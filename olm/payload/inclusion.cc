#include "olm/payload/inclusion.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <charconv>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr std::string_view kFeatureSet = "release.openshift.io/feature-set";
constexpr std::string_view kFeatureGate = "release.openshift.io/feature-gate";
constexpr std::string_view kMajorVersion = "release.openshift.io/major-version";
constexpr std::string_view kCapability = "capability.openshift.io/name";
constexpr std::string_view kInclude = "include.release.openshift.io/";
constexpr std::string_view kDefault = "Default";

// The annotation's text; nullopt when there is none.
std::optional<std::string> Text(const json::object& annotations, std::string_view key) {
  const json::value* value = annotations.if_contains(key);
  if (value == nullptr) return std::nullopt;
  return value->is_string() ? std::string(View(value->get_string())) : std::string();
}

const json::object& AnnotationsOf(const PayloadManifest& manifest) {
  static const json::object kNone;
  const json::object* metadata = ObjectAt(manifest.object, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  return annotations == nullptr ? kNone : *annotations;
}

std::vector<std::string> Split(const std::string& text, char by) {
  return absl::StrSplit(text, by, absl::SkipEmpty());
}

NeededGates GatesOf(const json::object& annotations) {
  NeededGates needed;
  for (const std::string& gate : Split(Text(annotations, kFeatureGate).value_or(""), ',')) {
    if (gate.front() == '-') {
      needed.off.insert(gate.substr(1));
    } else {
      needed.on.insert(gate);
    }
  }
  return needed;
}

std::optional<std::string> ByFeatures(const PayloadManifest& manifest,
                                      const json::object& annotations,
                                      const ClusterChoices& choices) {
  const std::optional<std::string> sets = Text(annotations, kFeatureSet);
  const std::optional<std::string> gates = Text(annotations, kFeatureGate);
  if (sets && gates) return "it names feature sets and feature gates, which nothing can have";
  if (sets) {
    const std::string chosen =
        choices.feature_set.empty() ? std::string(kDefault) : choices.feature_set;
    const std::vector<std::string> list = Split(*sets, ',');
    if (std::find(list.begin(), list.end(), chosen) == list.end()) {
      return StrCat("the feature set ", chosen, " is not among ", *sets);
    }
  }
  if (gates && manifest.deletes && !choices.gates_known) {
    return "it is not known yet which feature gates are on in this release";
  }
  const NeededGates needed = GatesOf(annotations);
  for (const std::string& each : needed.on) {
    if (!choices.gates.contains(each)) return StrCat("the feature gate ", each, " is off");
  }
  for (const std::string& each : needed.off) {
    if (choices.gates.contains(each)) return StrCat("the feature gate ", each, " is on");
  }
  return std::nullopt;
}

// Only FeatureGates and definitions can name major versions.
std::optional<std::string> ByMajorVersion(const PayloadManifest& manifest,
                                          const json::object& annotations,
                                          const ClusterChoices& choices) {
  const bool looked_at =
      manifest.gvk.kind == "FeatureGate" || manifest.gvk.kind == "CustomResourceDefinition";
  const std::optional<std::string> text = Text(annotations, kMajorVersion);
  if (!looked_at || !text || !choices.major) return std::nullopt;
  bool named = false;
  bool any_named = false;
  for (const std::string& each : Split(*text, ',')) {
    int number = 0;
    const auto [end, error] = std::from_chars(each.data(), each.data() + each.size(), number);
    if (error != std::errc() || end != each.data() + each.size() || number == 0) {
      return StrCat("its major versions cannot be read: ", *text);
    }
    if (number < 0) {
      if (-number == *choices.major) return StrCat("it is not for version ", -number);
      continue;
    }
    any_named = true;
    named = named || number == *choices.major;
  }
  if (any_named && !named) return StrCat("it is for the major versions ", *text);
  return std::nullopt;
}

std::optional<std::string> ByCapabilities(const json::object& annotations,
                                          const ClusterChoices& choices) {
  const std::optional<std::string> text = Text(annotations, kCapability);
  if (!text || !choices.capabilities) return std::nullopt;
  const auto& [known, enabled] = *choices.capabilities;
  for (const std::string& each : Split(*text, '+')) {
    if (!known.contains(each)) return StrCat("the capability ", each, " is unknown");
    if (!enabled.contains(each)) return StrCat("the capability ", each, " is off");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ReasonToLeaveOut(const PayloadManifest& manifest,
                                            const ClusterChoices& choices) {
  const json::object* annotations = &AnnotationsOf(manifest);
  if (annotations->empty() && !choices.profile.empty()) return "it has no annotations";
  if (!choices.exclude_id.empty() &&
      Text(*annotations, StrCat("exclude.release.openshift.io/", choices.exclude_id)) == "true") {
    return StrCat("it is excluded for ", choices.exclude_id);
  }
  if (auto reason = ByFeatures(manifest, *annotations, choices)) return reason;
  if (auto reason = ByMajorVersion(manifest, *annotations, choices)) return reason;
  if (!choices.profile.empty() && Text(*annotations, StrCat(kInclude, choices.profile)) != "true") {
    return StrCat("it is not included in the profile ", choices.profile);
  }
  if (auto reason = ByCapabilities(*annotations, choices)) return reason;
  if (choices.unmanaged.contains(manifest.identity)) return "an override says that it is unmanaged";
  return std::nullopt;
}

NamedChoices ChoicesNamedBy(const std::vector<PayloadManifest>& manifests) {
  NamedChoices named;
  for (const PayloadManifest& manifest : manifests) {
    const json::object& annotations = AnnotationsOf(manifest);
    for (const auto& [key, value] : annotations) {
      const std::string_view name = View(key);
      if (name.starts_with(kInclude)) named.profiles.emplace(name.substr(kInclude.size()));
    }
    for (std::string& each : Split(Text(annotations, kFeatureSet).value_or(""), ',')) {
      named.feature_sets.insert(std::move(each));
    }
    for (std::string& each : Split(Text(annotations, kCapability).value_or(""), '+')) {
      named.capabilities.insert(std::move(each));
    }
  }
  return named;
}

NeededGates GatesNeededBy(const PayloadManifest& manifest) {
  return GatesOf(AnnotationsOf(manifest));
}

}  // namespace steward::olm
