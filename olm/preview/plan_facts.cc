#include "olm/preview/plan_facts.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/one_line.h"
#include "base/text/str_cat.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/object_kind.h"
#include "olm/plan/bundle_reference.h"
#include "olm/plan/declared_optional.h"
#include "olm/plan/definition_change.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

// The limit of a fault, which may quote texts of any length that others wrote.
constexpr size_t kMaxFault = 300;  // bytes

std::string FaultOf(const absl::Status& status) {
  return OneLine(ToStd(status.message()), kMaxFault);
}

kube::LabelMap LabelsOf(const json::value& object) {
  kube::LabelMap labels;
  const json::object* metadata = kube::MetadataOf(object);
  const json::object* members = metadata == nullptr ? nullptr : ObjectAt(*metadata, "labels");
  if (members == nullptr) return labels;
  for (const auto& label : *members) {
    if (!label.value().is_string()) continue;
    labels.emplace(View(label.key()), View(label.value().get_string()));
  }
  return labels;
}

// Reads the facts of a definition, regardless of whether its API is served yet.
absl::StatusOr<DefinitionFacts> ReadFacts(const json::object& object) {
  DefinitionFacts facts;
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata != nullptr) facts.name = StringAt(*metadata, "name");
  const json::object* spec = ObjectAt(object, "spec");
  const json::object* names = spec == nullptr ? nullptr : ObjectAt(*spec, "names");
  const json::array* versions = spec == nullptr ? nullptr : ArrayAt(*spec, "versions");
  if (spec != nullptr) facts.group = StringAt(*spec, "group");
  if (names != nullptr) facts.kind = StringAt(*names, "kind");
  if (facts.name.empty() || facts.group.empty() || facts.kind.empty() || versions == nullptr) {
    return absl::InvalidArgumentError(
        "a definition must have metadata.name, spec.group, spec.names.kind and spec.versions");
  }
  facts.namespaced = StringAt(*spec, "scope") == "Namespaced";
  for (const json::value& each : *versions) {
    const json::object* version = each.if_object();
    if (version == nullptr || !BoolAt(*version, "served")) continue;
    facts.served.emplace_back(StringAt(*version, "name"));
  }
  return facts;
}

// Returns "example.com" for "reeds.example.com".
std::string GroupOfDefinition(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == std::string_view::npos ? "" : std::string(name.substr(dot + 1));
}

// Reads the steps of a plan into facts.
class StepReader {
 public:
  StepReader(const InstallPlan& plan, PlanFacts& facts) : plan_(plan), facts_(facts) {}

  void Read() {
    absl::Status properties = declared_.AddLookups(plan_.lookups);
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const absl::Status added = ReadManifest(i);
      if (properties.ok() && !added.ok()) {
        properties = absl::InvalidArgumentError(
            StrCat("the properties in ", plan_.steps[i].ToString(i), ": ", added.message()));
      }
    }
    if (!properties.ok()) facts_.properties_fault = FaultOf(properties);
    // Declarations are read first, because those in a bundle's last step may concern its first
    // step.
    for (size_t i = 0; i < plan_.steps.size(); ++i) Declare(i);
    StoreTexts();
  }

 private:
  // Reads a step's manifest. Returns the fault of its properties.
  absl::Status ReadManifest(size_t index) {
    const PlanStep& step = plan_.steps[index];
    PlanFacts::Step& facts = facts_.steps.emplace_back();
    identities_.push_back({step.gvk.group, step.gvk.kind, "", step.name});
    const bool is_definition = StepKindOf(step.gvk) == StepKind::kDefinition;
    absl::StatusOr<StepManifest> manifest = ReadStepManifest(step);
    absl::Status fault = manifest.status();
    if (fault.ok()) {
      facts.elsewhere = manifest->reference.has_value();
      if (!facts.elsewhere) {
        identities_.back() = IdentityOf(manifest->object);
        fault = CheckKind(step, manifest->object);
      }
      if (fault.ok() && is_definition) fault = Bring(step, *manifest);
    }
    if (!fault.ok()) {
      const bool counts = IsPendingStep(step.status) || is_definition;
      if (counts && facts_.fault_step == PlanFacts::kNoStep) {
        facts_.fault_step = index;
        facts_.step_fault = FaultOf(fault);
      }
      return absl::OkStatus();
    }
    return declared_.AddStep(step, manifest->object,
                             facts.elsewhere ? manifest->reference->properties : "");
  }

  static absl::Status CheckKind(const PlanStep& step, const json::object& manifest) {
    const kube::GroupVersionKind is = kube::KindOf(manifest);
    const kube::GroupVersionKind wanted = ObjectKind(step.gvk);
    if (is == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat("the manifest is ", is.kind, " in ", is.ApiVersion(),
                                             ", not ", wanted.kind, " in ", wanted.ApiVersion()));
  }

  absl::Status Bring(const PlanStep& step, const StepManifest& manifest) {
    if (manifest.reference) {
      facts_.brought.push_back({GroupOfDefinition(step.name), "", {}, false});
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(DefinitionFacts definition, ReadFacts(manifest.object));
    facts_.brought.push_back({std::move(definition.group), std::move(definition.kind),
                              std::move(definition.served), definition.namespaced});
    return absl::OkStatus();
  }

  void Declare(size_t index) {
    const PlanStep& step = plan_.steps[index];
    PlanFacts::Step& facts = facts_.steps[index];
    const bool named = facts.elsewhere
                           ? declared_.ContainsInAnyNamespace(step.resolving, identities_[index])
                           : declared_.Contains(step.resolving, identities_[index]);
    facts.declared_optional = step.optional || named;
  }

  // Stores each text once and makes the steps refer to it.
  void StoreTexts() {
    std::map<std::string_view, size_t> places;
    for (const PlanStep& step : plan_.steps) {
      for (const std::string* text : {&step.resolving, &step.gvk.group, &step.gvk.version,
                                      &step.gvk.kind, &step.name, &step.status}) {
        const auto [place, is_new] = places.emplace(*text, facts_.texts.size());
        if (is_new) facts_.texts.append(place->first);
      }
    }
    facts_.texts.shrink_to_fit();
    const auto stored = [&](const std::string& text) {
      return std::string_view(facts_.texts).substr(places.at(text), text.size());
    };
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanStep& step = plan_.steps[i];
      PlanFacts::Step& facts = facts_.steps[i];
      facts.resolving = stored(step.resolving);
      facts.group = stored(step.gvk.group);
      facts.version = stored(step.gvk.version);
      facts.kind = stored(step.gvk.kind);
      facts.name = stored(step.name);
      facts.status = stored(step.status);
    }
    facts_.steps.shrink_to_fit();
  }

  const InstallPlan& plan_;
  PlanFacts& facts_;
  DeclaredOptional declared_;
  std::vector<ManifestIdentity> identities_;  // one per step
};

}  // namespace

kube::GroupVersionKind PlanFacts::Step::gvk() const {
  return {std::string(group), std::string(version), std::string(kind)};
}

std::string PlanFacts::Step::ToString(size_t index) const {
  return StrCat("step ", index + 1, ", ", ObjectKind(gvk()).kind, " ", name);
}

absl::StatusOr<PlanFactsPtr> DecodePlan(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text));
  if (!value.is_object()) return absl::InvalidArgumentError("an InstallPlan must be an object");
  auto facts = std::make_shared<PlanFacts>();
  facts->key = kube::NameOf(value);
  facts->uid = kube::MetadataText(value, "uid");
  if (facts->key.name.empty() || facts->key.ns.empty() || facts->uid.empty()) {
    return absl::InvalidArgumentError("an InstallPlan must have a name, a namespace and a UID");
  }
  facts->created = kube::MetadataText(value, "creationTimestamp");
  facts->labels = LabelsOf(value);
  absl::StatusOr<InstallPlan> plan = ReadInstallPlan(value.get_object());
  if (!plan.ok()) {
    facts->fault = FaultOf(plan.status());
    return facts;
  }
  facts->deleting = plan->deleting;
  facts->approved = plan->approved;
  facts->phase = plan->phase;
  facts->csv_names = std::move(plan->csv_names);
  facts->unpacking = std::any_of(plan->lookups.begin(), plan->lookups.end(),
                                 [](const BundleLookup& lookup) { return lookup.pending; });
  StepReader(*plan, *facts).Read();
  return facts;
}

absl::StatusOr<DefinitionFactsPtr> DecodeDefinition(std::string_view text) {
  ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(text));
  ASSIGN_OR_RETURN(DefinitionFacts facts, ReadFacts(object));
  std::string refused;
  if (!IsEstablished(object, &refused)) facts.served.clear();
  return std::make_shared<const DefinitionFacts>(std::move(facts));
}

size_t SizeOf(const PlanFacts& plan) {
  return sizeof(PlanFacts) + plan.texts.size() + plan.steps.size() * sizeof(PlanFacts::Step) +
         plan.brought.size() * 2 * sizeof(PlanFacts::Brought) + plan.labels.size() * 128 +
         plan.csv_names.size() * 64 + plan.fault.size() + plan.step_fault.size() +
         plan.properties_fault.size();
}

size_t SizeOf(const DefinitionFacts& definition) {
  return sizeof(DefinitionFacts) + definition.name.size() + definition.group.size() +
         definition.served.size() * sizeof(std::string);
}

}  // namespace steward::olm
