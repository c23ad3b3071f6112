#include "olm/payload/inclusion.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <charconv>
#include <string_view>

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
constexpr std::string_view kDefault = "Default";

// The annotation's text; nullopt when there is none.
std::optional<std::string> Text(const json::object& annotations, std::string_view key) {
  const json::value* value = annotations.if_contains(key);
  if (value == nullptr) return std::nullopt;
  return value->is_string() ? std::string(View(value->get_string())) : std::string();
}

std::vector<std::string> Split(const std::string& text, char by) {
  return absl::StrSplit(text, by, absl::SkipEmpty());
}

std::optional<std::string> ByFeatures(const json::object& annotations,
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
  for (const std::string& gate : gates ? Split(*gates, ',') : std::vector<std::string>()) {
    const bool must_be_off = gate.front() == '-';
    const std::string name = must_be_off ? gate.substr(1) : gate;
    if (choices.gates.contains(name) != must_be_off) continue;
    return StrCat("the feature gate ", name, " is ", must_be_off ? "on" : "off");
  }
  return std::nullopt;
}

// Only FeatureGates and definitions have it.
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
  if (!text) return std::nullopt;
  for (const std::string& each : Split(*text, '+')) {
    if (!choices.known.contains(each)) return StrCat("the capability ", each, " is unknown");
    if (!choices.enabled.contains(each)) return StrCat("the capability ", each, " is off");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ReasonToLeaveOut(const PayloadManifest& manifest,
                                            const ClusterChoices& choices) {
  const json::object* metadata = ObjectAt(manifest.object, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  static const json::object kNone;
  if (annotations == nullptr) annotations = &kNone;
  if (annotations->empty() && !choices.profile.empty()) return "it has no annotations";
  if (!choices.exclude_id.empty() &&
      Text(*annotations, StrCat("exclude.release.openshift.io/", choices.exclude_id)) == "true") {
    return StrCat("it is excluded for ", choices.exclude_id);
  }
  if (auto reason = ByFeatures(*annotations, choices)) return reason;
  if (auto reason = ByMajorVersion(manifest, *annotations, choices)) return reason;
  if (!choices.profile.empty() &&
      Text(*annotations, StrCat("include.release.openshift.io/", choices.profile)) != "true") {
    return StrCat("it is not included in the profile ", choices.profile);
  }
  if (auto reason = ByCapabilities(*annotations, choices)) return reason;
  if (choices.unmanaged.contains(manifest.identity)) return "an override says that it is unmanaged";
  return std::nullopt;
}

}  // namespace steward::olm
