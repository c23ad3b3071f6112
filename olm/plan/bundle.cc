#include "olm/plan/bundle.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/object_kind.h"
#include "olm/csv_content/csv_content.h"
#include "olm/plan/step_kind.h"
#include "olm/plan/step_object.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr char kRbac[] = "rbac.authorization.k8s.io";
constexpr char kRbacVersion[] = "rbac.authorization.k8s.io/v1";
// A generated name has a readable part, and digits that tell permissions apart.
constexpr size_t kReadable = 50;
constexpr size_t kDigits = 10;

absl::StatusOr<PlanStep> StepOf(const json::object& manifest, const OptionalManifests& declared) {
  const ManifestIdentity identity = IdentityOf(manifest);
  const auto lacks = [&identity](std::string_view what) {
    return absl::InvalidArgumentError(StrCat("the manifest ", identity.ToString(), ": ", what));
  };
  PlanStep step;
  const kube::GroupVersionKind said = kube::KindOf(manifest);
  step.gvk = ObjectKind(said);
  step.name = identity.name;
  if (step.gvk.kind.empty()) return lacks("kind is missing");
  // OLM refuses a ClusterServiceVersion without an apiVersion, but knows the versions of some other
  // kinds.
  if (step.gvk.version.empty() || (StepKindOf(said) == StepKind::kCsv && said.version.empty())) {
    return lacks("apiVersion is missing");
  }
  if (step.name.empty()) return lacks("metadata.name is missing");
  json::object object = manifest;
  object["apiVersion"] = step.gvk.ApiVersion();
  step.manifest = Serialize(object);
  if (step.gvk.group.empty() && step.gvk.kind == "Secret") step.gvk.kind = "BundleSecret";
  step.optional = declared.Contains(identity);
  step.status = kStepUnknown;
  return step;
}

// Generates the steps of one entry of the permissions.
class Generator {
 public:
  Generator(std::string csv, std::string ns, std::vector<PlanStep>& steps)
      : csv_(std::move(csv)), ns_(std::move(ns)), steps_(steps) {}

  void AddAccount(const std::string& account) {
    const bool there = std::any_of(steps_.begin(), steps_.end(), [&account](const PlanStep& step) {
      return StepKindOf(step.gvk) == StepKind::kServiceAccount && step.name == account;
    });
    if (account == "default" || there) return;
    Add({"", "v1", "ServiceAccount"}, account, {});
  }

  void AddRole(const std::string& account, const json::value& rules, bool cluster) {
    // The digest contains the namespace, so that the cluster-scoped objects of a bundle in one
    // namespace are not overwritten by the same bundle in another. It contains operator and
    // account, because the readable part is cut.
    const std::string digest = absl::BytesToHexString(
        Sha256(StrCat(ns_, cluster ? "//" : "/", csv_, "/", account, "/", Serialize(rules))));
    std::string name = StrCat(csv_, "-", account).substr(0, kReadable);
    StrAppend(&name, "-", digest.substr(0, kDigits));
    const std::string role = cluster ? "ClusterRole" : "Role";
    Add({kRbac, "v1", role}, name, {{"rules", rules}});
    json::array subjects = {
        json::object{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", ns_}}};
    Add({kRbac, "v1", role + "Binding"}, name,
        {{"subjects", std::move(subjects)},
         {"roleRef", {{"apiGroup", kRbac}, {"kind", role}, {"name", name}}}});
  }

 private:
  void Add(const kube::GroupVersionKind& gvk, const std::string& name, json::object more) {
    json::object manifest = {{"apiVersion", gvk.group.empty() ? "v1" : kRbacVersion},
                             {"kind", gvk.kind},
                             {"metadata", {{"name", name}}}};
    // These labels, like OLM's, mark the objects that are copied to the namespaces where the
    // operator works.
    json::object labels = gvk.group.empty() ? json::object() : OwnerLabels({ns_, csv_});
    if (!labels.empty()) manifest["metadata"].as_object()["labels"] = std::move(labels);
    for (auto& member : more) manifest[member.key()] = member.value();
    PlanStep step;
    step.gvk = gvk;
    step.name = name;
    step.manifest = Serialize(manifest);
    step.status = kStepUnknown;
    // Permissions that occur twice make one role.
    if (std::find(steps_.begin(), steps_.end(), step) != steps_.end()) return;
    steps_.push_back(std::move(step));
  }

  const std::string csv_;
  const std::string ns_;
  std::vector<PlanStep>& steps_;
};

// REQUIRES: `csv` has no CsvContentProblems.
void AddGenerated(const json::object& csv, const std::string& name, const std::string& ns,
                  std::vector<PlanStep>& steps) {
  const json::object* spec = ObjectAt(csv, "spec");
  const json::object* install = spec == nullptr ? nullptr : ObjectAt(*spec, "install");
  const json::object* strategy = install == nullptr ? nullptr : ObjectAt(*install, "spec");
  if (strategy == nullptr) return;
  Generator generator(name, ns, steps);
  for (const bool cluster : {false, true}) {
    const json::array* all = ArrayAt(*strategy, cluster ? "clusterPermissions" : "permissions");
    if (all == nullptr) continue;
    for (const json::value& each : *all) {
      const json::object& permission = each.get_object();
      const std::string account(StringAt(permission, "serviceAccountName"));
      generator.AddAccount(account);
      generator.AddRole(account, permission.at("rules"), cluster);
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<PlanStep>> StepsOf(const std::vector<json::object>& manifests,
                                              const OptionalManifests& declared,
                                              const std::string& ns) {
  std::vector<PlanStep> steps;
  const json::object* csv = nullptr;
  for (const json::object& manifest : manifests) {
    ASSIGN_OR_RETURN(PlanStep step, StepOf(manifest, declared));
    if (StepKindOf(step.gvk) == StepKind::kCsv) {
      if (csv != nullptr) {
        return absl::InvalidArgumentError("the bundle has more than one ClusterServiceVersion");
      }
      csv = &manifest;
    }
    steps.push_back(std::move(step));
  }
  if (csv == nullptr) {
    return absl::InvalidArgumentError("the bundle has no ClusterServiceVersion");
  }
  const auto rank = [](const PlanStep& step) {
    const StepKind kind = StepKindOf(step.gvk);
    return kind == StepKind::kCsv ? 0 : kind == StepKind::kDefinition ? 1 : 2;
  };
  std::stable_sort(steps.begin(), steps.end(),
                   [&rank](const PlanStep& a, const PlanStep& b) { return rank(a) < rank(b); });
  const std::string name = steps.front().name;
  if (const std::vector<std::string> problems = CsvContentProblems(*csv); !problems.empty()) {
    return absl::InvalidArgumentError(
        StrCat("ClusterServiceVersion ", name, ": ", problems.front()));
  }
  AddGenerated(*csv, name, ns, steps);
  for (PlanStep& step : steps) step.resolving = name;
  return steps;
}

}  // namespace steward::olm
