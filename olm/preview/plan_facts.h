// Decodes the facts that previews need about InstallPlans and CustomResourceDefinitions, without
// manifests and schemas. The values are immutable and shared as shared_ptr<const T>. The decoders
// are pure, total functions: any bytes give an object or an error.
#ifndef OLM_PREVIEW_PLAN_FACTS_H_
#define OLM_PREVIEW_PLAN_FACTS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"

namespace steward::olm {

// The facts of a CustomResourceDefinition.
struct DefinitionFacts {
  std::string name;  // plural.group
  std::string group;
  std::string kind;
  bool namespaced = false;
  std::vector<std::string> served;  // versions; empty until the definition is established

  bool operator==(const DefinitionFacts&) const = default;
};
using DefinitionFactsPtr = std::shared_ptr<const DefinitionFacts>;

// The facts of an InstallPlan. A cluster has thousands of plans with dozens of steps, so each text
// is stored once. Steps refer to the texts, so a PlanFacts cannot be copied.
struct PlanFacts {
  struct Step {
    std::string_view resolving;
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    std::string_view name;
    std::string_view status;
    bool declared_optional = false;  // by the step or by its bundle
    bool elsewhere = false;          // the manifest is in a bundle's ConfigMap

    bool operator==(const Step&) const = default;
    kube::GroupVersionKind gvk() const;
    // Returns the same text as PlanStep::ToString.
    std::string ToString(size_t index) const;
  };
  // An API that a CustomResourceDefinition among the steps adds.
  struct Brought {
    std::string group;
    std::string kind;  // "" = any kind of the group, since the manifest is in a bundle's ConfigMap
    std::vector<std::string> versions;
    bool namespaced = false;

    bool operator==(const Brought&) const = default;
  };
  static constexpr size_t kNoStep = static_cast<size_t>(-1);

  PlanFacts() = default;
  PlanFacts(const PlanFacts&) = delete;
  PlanFacts& operator=(const PlanFacts&) = delete;

  kube::NamespacedName key;
  std::string uid;
  std::string created;  // RFC 3339
  kube::LabelMap labels;
  bool deleting = false;
  bool approved = false;
  std::string phase;
  std::vector<std::string> csv_names;  // spec.clusterServiceVersionNames
  bool unpacking = false;              // bundles are not unpacked yet, so their steps are missing
  std::vector<Step> steps;
  std::vector<Brought> brought;

  // Reasons why the plan cannot be executed as it is; "" = none.
  std::string fault;             // of the plan itself, which then has no steps here
  size_t fault_step = kNoStep;   // the first step with a fault that is pending or a definition
  std::string step_fault;        // the fault of that step's manifest
  std::string properties_fault;  // the fault of its bundles' declarations, if they matter

  std::string texts;  // the texts to which the views in steps refer

  bool operator==(const PlanFacts&) const = default;
};
using PlanFactsPtr = std::shared_ptr<const PlanFacts>;

// Both decoders fail with kInvalidArgument for text that is not a JSON object or lacks a name or
// uid. Any other unreadable part of a plan becomes a fault. A definition must also have a group, a
// kind and versions.
absl::StatusOr<PlanFactsPtr> DecodePlan(std::string_view json);
absl::StatusOr<DefinitionFactsPtr> DecodeDefinition(std::string_view json);

// Estimate the memory of a value in bytes.
size_t SizeOf(const PlanFacts& plan);
size_t SizeOf(const DefinitionFacts& definition);

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PLAN_FACTS_H_
