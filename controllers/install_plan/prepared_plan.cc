#include "controllers/install_plan/prepared_plan.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/definition_check.h"
#include "controllers/install_plan/definition_rights.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/object_kind.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "olm/alongside.h"
#include "olm/plan/adoption.h"
#include "olm/plan/answer.h"
#include "olm/plan/declared_optional.h"
#include "olm/plan/execution_order.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"
#include "olm/plan/step_object.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::StepKind;

// The limit for all manifests of a plan together. The largest operators need a tenth of it.
constexpr size_t kMaxManifestBytes = 64 << 20;
constexpr char kAccountAnnotation[] = "kubernetes.io/service-account.name";
constexpr char kAccountToken[] = "kubernetes.io/service-account-token";
constexpr char kGeneratedBy[] = "olm.generated-by";

void Annotate(json::object& object, std::string_view key, std::string_view value) {
  json::object& metadata = object["metadata"].as_object();
  json::value& annotations = metadata["annotations"];
  if (!annotations.is_object()) annotations.emplace_object();
  annotations.get_object()[key] = json::string(value);
}

std::string AnnotationOf(const json::object& object, std::string_view key) {
  const json::object* metadata = ObjectAt(object, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  return annotations == nullptr ? "" : std::string(StringAt(*annotations, key));
}

// Fails for a copy or a ClusterServiceVersion that is being deleted: objects that it owned would be
// deleted with it.
absl::Status IsLasting(const json::value& csv) {
  if (!kube::MetadataText(csv, "deletionTimestamp").empty()) {
    return absl::FailedPreconditionError("it is there, and is being deleted");
  }
  const json::object* metadata = kube::MetadataOf(csv);
  const json::object* labels = metadata == nullptr ? nullptr : ObjectAt(*metadata, "labels");
  if (labels == nullptr || !labels->contains("olm.copiedFrom")) return absl::OkStatus();
  return absl::FailedPreconditionError("a copy of another namespace's operator has its name");
}

std::string KindText(const kube::GroupVersionKind& gvk) {
  return StrCat(gvk.kind, " in ", gvk.ApiVersion());
}

}  // namespace

PreparedPlan::PreparedPlan(const PreparedPlanDeps& deps, const olm::InstallPlan& plan)
    : deps_(deps), plan_(plan), manifests_(deps.own, plan.key.ns), steps_(plan.steps.size()) {}

absl::Status PreparedPlan::InStep(size_t index, const absl::Status& why) const {
  return WithContext(plan_.steps[index].ToString(index), why);
}

absl::Status PreparedPlan::Fault(size_t index, const absl::Status& why) {
  faulty_step_ = index;
  return InStep(index, why);
}

StatusTask PreparedPlan::Prepare() {
  CO_RETURN_IF_ERROR(Sort());
  CO_RETURN_IF_ERROR(co_await ReadManifests());
  co_return ChooseOptional();
}

absl::Status PreparedPlan::Sort() {
  absl::Status invalid;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const olm::PlanStep& step = plan_.steps[i];
    steps_[i].kind = olm::StepKindOf(step.gvk);
    steps_[i].pending = olm::IsPendingStep(step.status);
    absl::Status why;
    if (!steps_[i].pending && !olm::HasStepEnded(step.status)) {
      why = absl::InvalidArgumentError(StrCat("the status ", step.status, " is none of a step"));
    } else if (steps_[i].pending && steps_[i].kind == StepKind::kUnsupported) {
      why = absl::InvalidArgumentError(
          StrCat("a plan does not install objects of the kind ", KindText(step.gvk)));
    }
    if (!why.ok() && invalid.ok()) invalid = InStep(i, why);
  }
  if (invalid.ok()) return invalid;
  return WithContext("the InstallPlan contains invalid data", invalid);
}

StatusTask PreparedPlan::ReadManifests() {
  const bool any_pending = std::any_of(steps_.begin(), steps_.end(),
                                       [](const PreparedStep& step) { return step.pending; });
  if (!any_pending) co_return absl::OkStatus();
  size_t size = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    PreparedStep& step = steps_[i];
    // Definitions and ClusterServiceVersions are read even if done, because later steps need the
    // APIs and properties that they add.
    const bool needed = step.pending || step.kind == StepKind::kDefinition ||
                        (step.kind == StepKind::kCsv && deps_.optional_manifests);
    if (!needed) continue;
    absl::StatusOr<FoundManifest> found = co_await manifests_.Find(plan_.steps[i]);
    if (!found.ok()) co_return Fault(i, found.status());
    size += Serialize(found->object).size();
    if (size > kMaxManifestBytes) {
      co_return absl::ResourceExhaustedError(
          StrCat("the plan's manifests are longer than ", kMaxManifestBytes, " bytes together"));
    }
    step.manifest = std::move(found->object);
    step.properties = std::move(found->properties);
    const kube::GroupVersionKind kind = olm::ObjectKind(plan_.steps[i].gvk);
    if (olm::ObjectKind(kube::KindOf(step.manifest)) != kind) {
      co_return Fault(i, absl::InvalidArgumentError(StrCat(
                             "the manifest is ", StringAt(step.manifest, "kind"), " in ",
                             StringAt(step.manifest, "apiVersion"), ", not ", KindText(kind))));
    }
    // The approver of a plan sees the names of its steps, so a manifest must have the same name.
    const std::string name = kube::MetadataText(step.manifest, "name");
    if (name != plan_.steps[i].name) {
      co_return Fault(
          i, absl::InvalidArgumentError(StrCat("the manifest is ", kind.kind, " ", name, ", not ",
                                               kind.kind, " ", plan_.steps[i].name)));
    }
    if (step.kind == StepKind::kDefinition) {
      absl::StatusOr<olm::Definition> definition = olm::ReadDefinition(step.manifest);
      if (!definition.ok()) co_return Fault(i, definition.status());
      definitions_.push_back(*std::move(definition));
    }
  }
  co_return absl::OkStatus();
}

absl::Status PreparedPlan::ChooseOptional() {
  if (!deps_.optional_manifests) return absl::OkStatus();
  olm::DeclaredOptional declared;
  RETURN_IF_ERROR(declared.AddLookups(plan_.lookups));
  for (size_t i = 0; i < steps_.size(); ++i) {
    const absl::Status added =
        declared.AddStep(plan_.steps[i], steps_[i].manifest, steps_[i].properties);
    if (!added.ok()) {
      return WithContext(StrCat("the properties in ", plan_.steps[i].ToString(i)), added);
    }
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const olm::PlanStep& step = plan_.steps[i];
    if (!steps_[i].pending || !olm::CanBeOptional(step.gvk)) continue;
    steps_[i].optional =
        step.optional || declared.Contains(step.resolving, olm::IdentityOf(steps_[i].manifest));
  }
  return absl::OkStatus();
}

StatusTask PreparedPlan::CheckDefinition(size_t index) {
  if (steps_[index].kind != StepKind::kDefinition || !steps_[index].pending) {
    co_return absl::OkStatus();
  }
  CO_ASSIGN_OR_RETURN(const StepTarget target, co_await TargetOf(index));
  const std::string converters = deps_.scoped ? plan_.key.ns : "";
  const std::string alone = olm::ConversionProblem(nullptr, target.object, converters);
  // This plan has created the definition. If it is gone, it is created again.
  if (plan_.steps[index].status == olm::kStepWaitingForApi && alone.empty()) {
    co_return absl::OkStatus();
  }
  const kube::NamespacedName name = {"", kube::MetadataText(target.object, "name")};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.own.Get(target.gvr, name);
  checked_[index] = "";
  if (kube::IsNotFound(raw.status(), name.name)) {
    if (alone.empty()) co_return absl::OkStatus();
    co_return absl::FailedPreconditionError(StrCat("the definition ", name.name, ": ", alone));
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value live, ParseJson(raw->json));
  if (!live.is_object()) co_return absl::DataLossError("the definition is no object");
  if (!kube::MetadataText(live, "deletionTimestamp").empty()) {
    co_return absl::FailedPreconditionError("it is there, and is being deleted");
  }
  const json::object& before = live.get_object();
  checked_[index] = kube::MetadataText(live, "resourceVersion");
  const json::object after = olm::Adopt(before, target.object);
  if (olm::IsUnchanged(before, after)) co_return absl::OkStatus();
  const std::string converter = olm::ConverterNamespace(after);
  // A conversion that the manifest itself configures is its author's choice, so the old one is not
  // kept.
  const bool kept = !converter.empty() && olm::ConverterNamespace(target.object).empty();
  if (deps_.scoped || kept) {
    CO_ASSIGN_OR_RETURN(const DefinitionOwners owners, co_await OwnersOf(deps_.own, name.name));
    absl::Status may;
    if (deps_.scoped) may = MayChangeDefinition(owners, plan_.key.ns, name.name);
    if (!may.ok() && olm::HasSameSpec(before, after)) {
      untouched_.insert(index);
      co_return absl::OkStatus();
    }
    CO_RETURN_IF_ERROR(may);
    if (kept) {
      CO_RETURN_IF_ERROR(MayConvert(owners, plan_.key.ns, converter, name.name));
    }
  }
  const std::string problem = olm::ConversionProblem(&before, after, converters);
  if (!problem.empty()) {
    co_return absl::FailedPreconditionError(StrCat("the definition ", name.name, ": ", problem));
  }
  CO_ASSIGN_OR_RETURN(std::vector<std::string> warnings,
                      co_await controllers::CheckDefinition(deps_.own, before, after));
  if (!warnings.empty()) changes_[index] = std::move(warnings);
  co_return absl::OkStatus();
}

std::vector<std::string> PreparedPlan::TakeChanges(size_t index) {
  const auto changes = changes_.extract(index);
  return changes.empty() ? std::vector<std::string>() : std::move(changes.mapped());
}

std::vector<size_t> PreparedPlan::Order() const {
  std::vector<StepKind> kinds;
  kinds.reserve(steps_.size());
  for (const PreparedStep& step : steps_) kinds.push_back(step.kind);
  return olm::ExecutionOrder(kinds);
}

std::vector<std::vector<size_t>> PreparedPlan::PendingGroups() const {
  std::vector<std::vector<size_t>> groups;
  std::set<std::tuple<std::string, std::string, std::string>> written;  // by the last group
  for (const size_t i : Order()) {
    if (!steps_[i].pending) continue;
    const kube::GroupVersionKind kind = olm::ObjectKind(plan_.steps[i].gvk);
    bool begins =
        groups.empty() || !olm::MayGoTogether(steps_[groups.back().front()].kind, steps_[i].kind);
    begins |= written.contains({kind.group, kind.kind, plan_.steps[i].name});
    if (begins) {
      groups.emplace_back();
      written.clear();
    }
    groups.back().push_back(i);
    written.emplace(kind.group, kind.kind, plan_.steps[i].name);
  }
  return groups;
}

Task<StepTarget> PreparedPlan::TargetOf(size_t index) {
  const olm::PlanStep& step = plan_.steps[index];
  StepTarget target{steps_[index].kind, {}, "", {}};
  bool namespaced = false;
  if (const auto built_in = olm::BuiltInResource(step.gvk)) {
    target.gvr = built_in->gvr;
    namespaced = built_in->namespaced;
  } else {
    CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                        co_await deps_.mapper.Find(step.gvk));
    if (!mapping) {
      co_return absl::NotFoundError(NotServed(step.gvk));
    }
    target.gvr = mapping->gvr;
    namespaced = mapping->namespaced;
  }
  if (namespaced) target.ns = plan_.key.ns;
  olm::StepOwner owner{{plan_.key.ns, step.resolving}, ""};
  const bool owned = target.kind != StepKind::kCsv && target.kind != StepKind::kDefinition &&
                     target.kind != StepKind::kSubscription;
  if (owned) {
    CO_ASSIGN_OR_RETURN(owner.uid, co_await UidOf(step.resolving));
  }
  CO_ASSIGN_OR_RETURN(target.object, olm::StepObject(steps_[index].manifest,
                                                     olm::ObjectKind(step.gvk), target.ns, owner));
  const kube::NamespacedName csv = {plan_.key.ns, step.resolving};
  if (!namespaced) Annotate(target.object, olm::AlongsideKey(csv), olm::AlongsideText(csv));
  if (target.kind == StepKind::kDefinition) {
    // A definition is only replaced in the state that was checked.
    const auto checked = checked_.find(index);
    target.checked = checked == checked_.end() ? "" : checked->second;
    target.untouched = untouched_.contains(index);
  } else if (target.kind == StepKind::kSubscription) {
    Annotate(target.object, kGeneratedBy, plan_.key.name);
  }
  co_return target;
}

Task<std::string> PreparedPlan::UidOf(std::string csv) {
  const auto known = uids_.find(csv);
  if (known != uids_.end()) co_return known->second;
  const kube::NamespacedName name = {plan_.key.ns, csv};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.own.Get(olm::kCsvs, name);
  if (kube::IsNotFound(raw.status(), csv)) {
    co_return absl::NotFoundError(
        StrCat("the ClusterServiceVersion ", csv, ", which the step belongs to, is not there"));
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  std::string uid = kube::MetadataText(object, "uid");
  if (uid.empty()) co_return absl::DataLossError("a ClusterServiceVersion has no UID");
  const absl::Status lasting = IsLasting(object);
  if (!lasting.ok()) co_return WithContext(StrCat("the ClusterServiceVersion ", csv), lasting);
  uids_[csv] = uid;
  co_return uid;
}

StatusTask PreparedPlan::IsNotInTheWay(size_t index) const {
  const std::string& name = plan_.steps[index].name;
  const kube::NamespacedName key = {plan_.key.ns, name};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.own.Get(olm::kCsvs, key);
  if (kube::IsNotFound(raw.status(), name)) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value live, ParseJson(raw->json));
  co_return IsLasting(live);
}

StatusTask PreparedPlan::IsNoRival(size_t index) const {
  const std::string& name = plan_.steps[index].name;
  const auto& named = plan_.csv_names;
  if (std::find(named.begin(), named.end(), name) != named.end()) co_return absl::OkStatus();
  // A dependency must not bring definitions that another operator of the namespace owns.
  const std::set<std::string> owned = DefinitionsOwnedBy(steps_[index].manifest);
  kube::ListOptions list;
  list.ns = plan_.key.ns;
  list.limit = 100;
  co_return co_await kube::VisitAll(
      deps_.own, olm::kCsvs, list, [&](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const json::value other, ParseJson(raw.json));
        if (!other.is_object() || kube::MetadataText(other, "name") == name) {
          return absl::OkStatus();
        }
        for (const std::string& definition : DefinitionsOwnedBy(other.get_object())) {
          if (!owned.contains(definition)) continue;
          return absl::FailedPreconditionError(
              StrCat("the ClusterServiceVersion ", kube::MetadataText(other, "name"),
                     " of the same namespace owns ", definition, " already"));
        }
        return absl::OkStatus();
      });
}

StatusTask PreparedPlan::MayPutCsv(size_t index) const {
  CO_RETURN_IF_ERROR(co_await IsNotInTheWay(index));
  co_return co_await IsNoRival(index);
}

StatusTask PreparedPlan::HasAccount(size_t index) const {
  const json::object& manifest = steps_[index].manifest;
  const bool is_token = olm::ObjectKind(plan_.steps[index].gvk).kind == "Secret" &&
                        StringAt(manifest, "type") == kAccountToken;
  if (!is_token) co_return absl::OkStatus();
  const kube::NamespacedName account = {plan_.key.ns, AnnotationOf(manifest, kAccountAnnotation)};
  if (accounts_.contains(account.name)) co_return absl::OkStatus();
  const absl::StatusOr<kube::RawObject> raw =
      co_await deps_.own.Get(kube::kServiceAccounts, account);
  if (!kube::IsNotFound(raw.status(), account.name)) {
    CO_RETURN_IF_ERROR(raw.status());
    CO_ASSIGN_OR_RETURN(const json::value live, ParseJson(raw->json));
    // A token is deleted along with its account, so an account that is being deleted does not
    // count.
    if (kube::MetadataText(live, "deletionTimestamp").empty()) co_return absl::OkStatus();
  }
  co_return absl::NotFoundError(
      StrCat("the ServiceAccount ", account.name, " of this token is not there yet"));
}

Task<json::value> PreparedPlan::WaitedFor(size_t index) const {
  const olm::PlanStep& step = plan_.steps[index];
  if (steps_[index].kind != StepKind::kDefinition || step.status != olm::kStepWaitingForApi) {
    co_return json::value();
  }
  const kube::NamespacedName name = {"", step.name};
  const kube::GroupVersionResource gvr = olm::BuiltInResource(step.gvk)->gvr;
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.own.Get(gvr, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return json::value();
  CO_RETURN_IF_ERROR(raw.status());
  co_return ParseJson(raw->json);
}

Task<StepOutcome> PreparedPlan::Write(size_t index, kube::WarningSink on_warning) {
  const PreparedStep& step = steps_[index];
  const kube::GroupVersionKind& gvk = plan_.steps[index].gvk;
  if (step.kind == StepKind::kCsv) {
    CO_RETURN_IF_ERROR(co_await MayPutCsv(index));
  }
  CO_RETURN_IF_ERROR(co_await HasAccount(index));
  StepOutcome outcome;
  if (step.kind == StepKind::kOther && step.optional && !IsSupplied(gvk)) {
    // A failed discovery is an error and never means absence.
    CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                        co_await deps_.mapper.Find(gvk));
    if (!mapping) {
      outcome.verdict = olm::AnswerVerdict::kNotCreated;
      outcome.answer = absl::NotFoundError(NotServed(gvk));
      co_return outcome;
    }
  }
  CO_ASSIGN_OR_RETURN(StepTarget target, co_await TargetOf(index));
  StepWriter writer(step.kind == StepKind::kDefinition ? deps_.own : deps_.steps,
                    std::move(on_warning));
  outcome = co_await writer.Write(std::move(target));
  if (kube::IsNotServed(outcome.answer)) {
    // The path is gone since discovery, or never existed behind a proxy. Discover again to decide.
    deps_.mapper.Forget(gvk.group_version());
    CO_RETURN_IF_ERROR((co_await deps_.mapper.Find(gvk)).status());
  }
  co_return outcome;
}

std::string PreparedPlan::NotServed(const kube::GroupVersionKind& gvk) const {
  return StrCat("the API server does not serve ", KindText(gvk),
                IsSupplied(gvk) ? " yet, which this plan brings" : "");
}

bool PreparedPlan::IsSupplied(const kube::GroupVersionKind& gvk) const {
  return std::any_of(definitions_.begin(), definitions_.end(),
                     [&gvk](const olm::Definition& each) { return each.Serves(gvk); });
}

}  // namespace steward::controllers
