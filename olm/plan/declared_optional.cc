#include "olm/plan/declared_optional.h"

#include "base/json/json_access.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "olm/plan/step_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

std::string PropertiesOf(const json::object& csv) {
  const json::object* metadata = ObjectAt(csv, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  return annotations == nullptr ? "" : std::string(StringAt(*annotations, kPropertiesAnnotation));
}

}  // namespace

absl::Status DeclaredOptional::Add(const std::string& csv, const std::string& text) {
  if (text.empty() || !read_.emplace(csv, text).second) return absl::OkStatus();
  return by_csv_[csv].AddText(text);
}

absl::Status DeclaredOptional::AddLookups(const std::vector<BundleLookup>& lookups) {
  for (const BundleLookup& lookup : lookups) {
    const absl::Status added = Add(lookup.identifier, lookup.properties);
    if (!added.ok()) {
      return WithContext(StrCat("the properties of the bundle ", lookup.identifier), added);
    }
  }
  return absl::OkStatus();
}

absl::Status DeclaredOptional::AddStep(const PlanStep& step, const json::object& manifest,
                                       const std::string& properties) {
  const absl::Status added = Add(step.resolving, properties);
  if (!added.ok() || StepKindOf(step.gvk) != StepKind::kCsv) return added;
  return Add(step.resolving, PropertiesOf(manifest));
}

bool DeclaredOptional::Contains(const std::string& csv, const ManifestIdentity& manifest) const {
  const auto found = by_csv_.find(csv);
  return found != by_csv_.end() && found->second.Contains(manifest);
}

bool DeclaredOptional::ContainsInAnyNamespace(const std::string& csv,
                                              const ManifestIdentity& manifest) const {
  const auto found = by_csv_.find(csv);
  if (found == by_csv_.end()) return false;
  const std::set<ManifestIdentity>& entries = found->second.entries();
  for (auto it = entries.lower_bound({manifest.group, manifest.kind, "", ""});
       it != entries.end() && it->group == manifest.group && it->kind == manifest.kind; ++it) {
    if (it->name == manifest.name) return true;
  }
  return false;
}

}  // namespace steward::olm
