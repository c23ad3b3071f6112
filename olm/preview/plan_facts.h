// What previews read of InstallPlans and CustomResourceDefinitions, without their manifests and
// schemas. Immutable values, shared as shared_ptr<const T>; the decoders are pure functions, and
// total: any bytes give an object or an error.
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

// A CustomResourceDefinition.
struct DefinitionFacts {
  std::string name;  // plural.group
  std::string group;
  std::string kind;
  bool namespaced = false;
  std::vector<std::string> served;  // versions; empty until the definition is established

  bool operator==(const DefinitionFacts&) const = default;
};
using DefinitionFactsPtr = std::shared_ptr<const DefinitionFacts>;

// An InstallPlan. Its texts are stored once each, since a cluster has thousands of plans with
// dozens of steps, so this cannot be copied.
struct PlanFacts {
  struct Step {
    std::string_view resolving;
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    std::string_view name;
    std::string_view status;
    bool declared_optional = false;  // by the step itself, or by the properties of its bundle
    bool elsewhere = false;          // the manifest lies in a bundle's ConfigMap

    bool operator==(const Step&) const = default;
    kube::GroupVersionKind gvk() const;
    // As PlanStep::ToString.
    std::string ToString(size_t index) const;
  };
  // An API that a CustomResourceDefinition among the steps brings.
  struct Brought {
    std::string group;
    std::string kind;  // "" = the manifest lies elsewhere: any kind of the group
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
  bool unpacking = false;              // bundles are not unpacked: their steps are not there yet
  std::vector<Step> steps;
  std::vector<Brought> brought;

  // Reasons why the plan cannot be executed as it is; "" = none.
  std::string fault;             // of the plan: it has no steps here
  size_t fault_step = kNoStep;   // the first step that has one, and is pending or a definition
  std::string step_fault;        // of its manifest
  std::string properties_fault;  // of what its bundles declare, where that counts

  std::string texts;  // what the steps' views refer to

  bool operator==(const PlanFacts&) const = default;
};
using PlanFactsPtr = std::shared_ptr<const PlanFacts>;

// Errors (kInvalidArgument): not a JSON object, or no name or uid. Of a plan, whatever else cannot
// be read is a fault; a definition has to have a group, a kind and versions.
absl::StatusOr<PlanFactsPtr> DecodePlan(std::string_view json);
absl::StatusOr<DefinitionFactsPtr> DecodeDefinition(std::string_view json);

// Estimates, in bytes.
size_t SizeOf(const PlanFacts& plan);
size_t SizeOf(const DefinitionFacts& definition);

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PLAN_FACTS_H_
