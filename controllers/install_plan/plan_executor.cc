#include "controllers/install_plan/plan_executor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/one_line.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/plan_identity.h"
#include "controllers/preview/rehearsal.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/write_options.h"
#include "olm/resources.h"
#include "storage/reflector/reflector.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-install-plans";
const kube::GroupVersionKind kPlanKind = {"operators.coreos.com", "v1alpha1", "InstallPlan"};

// The pause for an OperatorGroup's service account, which no watch reports.
constexpr absl::Duration kWaitForAccount = absl::Seconds(15);
// The number of plans on a page. They are listed whole, and each may exceed a megabyte.
constexpr int64_t kPage = 5;
// The pause while waiting for the API of a definition.
constexpr absl::Duration kWaitForApi = absl::Seconds(1);

// Each step that was not created has a line in the plan's message, which begins so.
constexpr std::string_view kNotCreatedLine = "not created: ";
constexpr size_t kMaxLines = 20;
constexpr size_t kMaxReason = 300;  // bytes
constexpr size_t kMaxError = 2000;  // bytes

std::string_view PhaseOf(const json::value& plan) {
  const json::object* object = plan.if_object();
  const json::object* status = object == nullptr ? nullptr : ObjectAt(*object, "status");
  return status == nullptr ? std::string_view() : StringAt(*status, "phase");
}

bool IsApproved(const json::value& plan) {
  const json::object* object = plan.if_object();
  const json::object* spec = object == nullptr ? nullptr : ObjectAt(*object, "spec");
  return spec != nullptr && BoolAt(*spec, "approved");
}

// Returns true if the plan needs no more work unless somebody changes it.
bool HasEnded(const json::value& plan) {
  const std::string_view phase = PhaseOf(plan);
  return phase == olm::kPlanComplete || (phase == olm::kPlanFailed && IsApproved(plan));
}

// Passes on the keys of plans that have not ended.
class PlanSink : public storage::ReflectorSink {
 public:
  explicit PlanSink(WorkQueue& queue) : queue_(queue) {}

  void OnReplaceBegin() override {}
  void OnReplaceItem(const kube::RawObject& object) override { Take(object); }
  void OnReplaceEnd(uint64_t) override {}
  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object, uint64_t) override {
    if (type != kube::WatchEvent::Type::kDeleted) Take(object);
  }
  void OnBookmark(uint64_t) override {}
  void OnAbsent() override {}
  void OnConnected() override {}
  void OnDisconnected(const absl::Status& why) override {
    log::Warning("InstallPlans cannot be followed", {{"err", why}});
  }

 private:
  void Take(const kube::RawObject& object) {
    const absl::StatusOr<json::value> plan = ParseJson(object.json);
    if (!plan.ok()) {
      log::Error("An InstallPlan is not understood", {{"err", plan.status()}});
      return;
    }
    if (HasEnded(*plan)) return;
    const kube::NamespacedName name = kube::NameOf(*plan);
    queue_.Add({name.ns, name.name});
  }

  WorkQueue& queue_;
};

std::string StepText(const olm::InstallPlan& plan, size_t step) {
  return plan.steps[step].ToString(step);
}

// Returns the lines about steps that were not created, in this pass or earlier. The earlier lines
// come from the plan's message.
std::vector<std::string> NotCreatedLines(const olm::InstallPlan& plan, const PlanPassResult& pass) {
  const std::vector<std::string> before = absl::StrSplit(plan.message, '\n');
  std::vector<std::string> lines;
  for (size_t i = 0; i < pass.steps.size(); ++i) {
    if (pass.steps[i].status != olm::kStepNotCreated) continue;
    std::string line = StrCat(kNotCreatedLine, StepText(plan, i));
    for (const StepNote& note : pass.notes) {
      if (note.step != i || note.kind != StepNote::Kind::kNotCreated) continue;
      StrAppend(&line, ": ", OneLine(note.text, kMaxReason));
    }
    for (const std::string& old : before) {
      if (old.starts_with(line + ":")) line = old;
    }
    lines.push_back(std::move(line));
  }
  if (lines.size() > kMaxLines) {
    const size_t more = lines.size() - kMaxLines;
    lines.resize(kMaxLines);
    lines.push_back(StrCat(kNotCreatedLine, more, " more"));
  }
  return lines;
}

olm::PlanProgress AsItIs(const olm::InstallPlan& plan) {
  olm::PlanProgress progress;
  progress.phase = plan.phase;
  progress.message = plan.message;
  for (const olm::PlanStep& step : plan.steps) {
    progress.steps.push_back({step.status, step.optional});
  }
  return progress;
}

}  // namespace

PlanExecutor::PlanExecutor(const ReconcilerDeps& deps, InstallPlanMetrics& metrics,
                           const InstallPlanFlags& flags)
    : deps_(deps), metrics_(metrics), flags_(flags), mapper_(deps.client, deps.clock) {}

VoidTask PlanExecutor::Feed(WorkQueue& queue) {
  storage::ReflectorOptions options;
  options.gvr = olm::kInstallPlans;
  options.page_size = kPage;
  options.may_be_absent = true;
  MetadataSelection selection;
  selection.gvr = olm::kOperatorGroups;
  selection.hold = false;
  MetadataCallbacks callbacks;
  callbacks.changed = [this, &queue](const kube::NamespacedName& group) {
    const auto found = waiting_.find(group.ns);
    if (found == waiting_.end()) return;
    for (const std::string& plan : found->second) queue.Add({group.ns, plan});
  };
  // The first list reports no changes, so `synced` wakes all waiting plans: an OperatorGroup may
  // have appeared before it.
  callbacks.synced = [this, &queue] {
    for (const auto& [ns, plans] : waiting_) {
      for (const std::string& plan : plans) queue.Add({ns, plan});
    }
  };
  groups_ = deps_.metadata.Open(std::move(selection), std::move(callbacks));
  PlanSink sink(queue);
  storage::Reflector reflector(deps_.client, deps_.clock, deps_.random, options, sink);
  co_await reflector.Run();
}

void PlanExecutor::WaitNoMore(const kube::NamespacedName& plan) {
  const auto found = waiting_.find(plan.ns);
  if (found == waiting_.end()) return;
  found->second.erase(plan.name);
  if (found->second.empty()) waiting_.erase(found);
}

Task<ReconcileResult> PlanExecutor::Reconcile(Key key) {
  const kube::NamespacedName name = {key.ns, key.name};
  WaitNoMore(name);
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(olm::kInstallPlans, name);
  if (kube::SaysNotFound(raw.status())) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(json::value object, ParseJson(raw->json));
  if (!object.is_object()) co_return absl::DataLossError("an InstallPlan is no object");
  if (HasEnded(object)) co_return ReconcileResult::Done();
  absl::StatusOr<olm::InstallPlan> plan = olm::ReadInstallPlan(object.get_object());
  if (!plan.ok()) {
    CO_RETURN_IF_ERROR(co_await Refuse(key, plan.status(), std::move(object)));
    co_return ReconcileResult::Done();  // the watch reports a change of it
  }
  if (plan->deleting || plan->steps.empty()) co_return ReconcileResult::Done();
  if (!plan->approved) {
    CO_RETURN_IF_ERROR(co_await RequireApproval(*plan, std::move(object)));
    co_return ReconcileResult::Done();
  }
  co_return co_await Execute(*std::move(plan), std::move(object));
}

// Writes the status of a plan that cannot be parsed.
StatusTask PlanExecutor::Refuse(Key key, const absl::Status& why, json::value object) {
  log::Error("An InstallPlan is not understood",
             {{"namespace", key.ns}, {"name", key.name}, {"err", why}});
  const ObjectReference about = {kPlanKind, {key.ns, key.name}, kube::MetadataText(object, "uid")};
  deps_.events.Record(about, EventType::kWarning, "InvalidInstallPlan", ToStd(why.message()));
  olm::InstallPlan plan;
  plan.key = {key.ns, key.name};
  olm::PlanProgress progress;
  progress.phase = olm::kPlanFailed;
  progress.message =
      StrCat("the InstallPlan contains invalid data: ", OneLine(ToStd(why.message()), kMaxError));
  progress.condition = {false, std::string(olm::kInstallComponentFailed), progress.message};
  const absl::Status written = co_await Write(plan, progress, std::move(object));
  // If the server refuses this write too, it would refuse it again.
  if (kube::IsAnswer(written) && !kube::IsConflict(written) && !kube::IsTransient(written)) {
    co_return absl::OkStatus();
  }
  CO_RETURN_IF_ERROR(written);
  metrics_.failed.Increment();
  co_return absl::OkStatus();
}

StatusTask PlanExecutor::RequireApproval(const olm::InstallPlan& plan, json::value object) {
  olm::PlanProgress progress = AsItIs(plan);
  progress.phase = olm::kPlanRequiresApproval;
  if (plan.phase == olm::kPlanFailed) {
    // If the plan is approved again, it is tried again; completed steps stay as they are.
    progress.message.clear();
    progress.anew = true;
    progress.condition = {false, "", "it has failed, and is tried again once it is approved"};
    for (olm::PlanProgress::Step& step : progress.steps) {
      if (!olm::HasStepEnded(step.status)) step.status = olm::kStepUnknown;
    }
  }
  co_return co_await Write(plan, progress, std::move(object));
}

Task<ReconcileResult> PlanExecutor::Execute(olm::InstallPlan plan, json::value object) {
  olm::PlanProgress progress = AsItIs(plan);
  // Register before the OperatorGroups are read, so that a change in between is reported.
  Wait(plan.key);
  CO_ASSIGN_OR_RETURN(const PlanIdentity identity, co_await IdentityOf(deps_.client, plan));
  if (!identity.waits.empty()) {
    progress.phase = olm::kPlanInstalling;
    progress.condition = {false, std::string(olm::kInstallCheckFailed), identity.waits};
    CO_RETURN_IF_ERROR(co_await Write(plan, progress, std::move(object)));
    if (identity.told) co_return ReconcileResult::Done();
    co_return ReconcileResult::After(kWaitForAccount);
  }
  WaitNoMore(plan.key);
  std::unique_ptr<kube::Client> scoped;
  if (identity.account) scoped = deps_.client.As(*identity.account);
  const PreparedPlanDeps pass_deps = {
      .own = deps_.client,
      .steps = scoped == nullptr ? deps_.client : *scoped,
      .mapper = mapper_,
      .optional_manifests = deps_.gates.IsOn(kOptionalManifestsGate),
      .scoped = scoped != nullptr};
  const absl::Time now = deps_.clock.Now();
  PlanPassResult result;
  if (plan.untouched()) {
    // This must be a variable: g++ 12 destroys a temporary aggregate in a co_await expression
    // twice.
    const RehearsalDeps rehearsal_deps = {.client = deps_.client,
                                          .mapper = mapper_,
                                          .clock = deps_.clock,
                                          .account = identity.account,
                                          .optional_manifests = pass_deps.optional_manifests};
    result.error = co_await Rehearse(rehearsal_deps, plan);
  }
  if (result.error.ok()) {
    PlanPass pass(pass_deps, plan);
    result = co_await pass.Run();
  } else {
    result.steps = progress.steps;
  }
  if (!plan.start_time) plan.start_time = now;
  progress = Conclude(plan, result);
  CO_RETURN_IF_ERROR(co_await Write(plan, progress, std::move(object)));
  Tell(plan, result);
  if (progress.phase == olm::kPlanComplete) {
    metrics_.complete.Increment();
    co_return ReconcileResult::Done();
  }
  if (progress.phase == olm::kPlanFailed) {
    metrics_.failed.Increment();
    log::Warning("An InstallPlan has failed",
                 {{"namespace", plan.key.ns}, {"name", plan.key.name}, {"err", result.error}});
    TellFailure({kPlanKind, plan.key, plan.uid}, progress.condition->message);
    co_return ReconcileResult::Done();
  }
  CO_RETURN_IF_ERROR(result.error);
  co_return ReconcileResult::After(kWaitForApi);
}

olm::PlanProgress PlanExecutor::Conclude(const olm::InstallPlan& plan,
                                         const PlanPassResult& pass) const {
  olm::PlanProgress progress;
  progress.start_time = plan.start_time;
  progress.steps = pass.steps;
  const std::string error = OneLine(ToStd(pass.error.message()), kMaxError);
  const bool in_time = deps_.clock.Now() - *plan.start_time < flags_.retry_timeout;
  if (pass.error.ok() && pass.waiting_for.empty()) {
    progress.phase = olm::kPlanComplete;
    progress.condition = {true, "", ""};
  } else if (pass.error.ok()) {
    progress.phase = olm::kPlanInstalling;
    progress.message = StrCat(olm::kWaitingForApiMessage, pass.waiting_for);
  } else if (!pass.invalid && (in_time || kube::IsForbidden(pass.error))) {
    progress.phase = olm::kPlanInstalling;
    progress.message = StrCat("retrying execution due to error: ", error);
    // Clears the condition's earlier reason to wait.
    progress.condition = {false, "", progress.message};
  } else {
    progress.phase = olm::kPlanFailed;
    progress.message = error;
    progress.condition = {false, std::string(olm::kInstallComponentFailed), error};
  }
  for (const std::string& line : NotCreatedLines(plan, pass)) {
    StrAppend(&progress.message, progress.message.empty() ? "" : "\n", line);
  }
  return progress;
}

StatusTask PlanExecutor::Write(const olm::InstallPlan& plan, const olm::PlanProgress& progress,
                               json::value object) {
  if (!olm::SetProgress(plan, progress, deps_.clock.Now(), object.as_object())) {
    co_return absl::OkStatus();
  }
  kube::WriteOptions options;
  options.subresource = "status";
  options.field_manager = kManager;
  // A conflict is an error like others: the plan is read again.
  co_return (co_await deps_.client.Update(olm::kInstallPlans, object, options)).status();
}

void PlanExecutor::TellFailure(const ObjectReference& about, const std::string& error) {
  deps_.events.Record(
      about, EventType::kWarning, "InstallPlanFailed",
      StrCat(error,
             "; it is tried again when spec.approved has been set to false, and then to true"));
}

void PlanExecutor::Tell(const olm::InstallPlan& plan, const PlanPassResult& pass) {
  const ObjectReference about = {kPlanKind, plan.key, plan.uid};
  for (size_t i = 0; i < pass.steps.size(); ++i) {
    const std::string& status = pass.steps[i].status;
    if (status == plan.steps[i].status) continue;
    if (status == olm::kStepCreated) metrics_.created.Increment();
    if (status == olm::kStepPresent) metrics_.present.Increment();
    if (status == olm::kStepNotCreated) metrics_.not_created.Increment();
  }
  for (const StepNote& note : pass.notes) {
    const std::string step = StepText(plan, note.step);
    std::string_view reason;
    switch (note.kind) {
      case StepNote::Kind::kNotCreated:
        reason = "OptionalManifestNotCreated";
        log::Warning("An optional manifest was not created", {{"namespace", plan.key.ns},
                                                              {"name", plan.key.name},
                                                              {"step", step},
                                                              {"reason", note.text}});
        break;
      case StepNote::Kind::kAppliedWithWarnings:
        reason = "AppliedWithWarnings";
        break;
      case StepNote::Kind::kDefinition:
        reason = "CRDValidation";
        break;
    }
    deps_.events.Record(about, EventType::kWarning, reason, StrCat(step, ": ", note.text));
  }
}

}  // namespace steward::controllers
