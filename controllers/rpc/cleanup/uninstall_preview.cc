#include "controllers/rpc/cleanup/uninstall_preview.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/in_flight.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/operands/operand_counter.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/verdict.h"
#include "olm/preview/preview.h"
#include "olm/preview/preview_message.h"
#include "olm/resources.h"

namespace steward::rpc {
namespace {

using controllers::CountedOperand;
using controllers::OperandCount;
using olm::Outcome;

// The number of requests at the same time, as in the cleaner itself.
constexpr size_t kWidth = 8;
// The most access reviews for single namespaces.
constexpr size_t kMaxReviews = 100;

const kube::GroupVersionKind kDefinition = {"apiextensions.k8s.io", "v1",
                                            "CustomResourceDefinition"};

// An operand that the preview names.
struct Trial {
  const OperandCount* count;
  const CountedOperand* operand;
  bool asks = false;  // its deletion has to be tried
  bool gone = false;
  olm::PreviewStep step = {};
};

void SetOutcome(Outcome outcome, std::string_view reason, olm::PreviewStep& step) {
  step.outcome = outcome;
  step.reason = reason;
}

// Concludes by rule, without asking the cluster.
void SayByRule(const olm::Verdict& verdict, Trial& trial) {
  olm::PreviewStep& step = trial.step;
  switch (trial.operand->fate) {
    case olm::OperandFate::kWait:
      return SetOutcome(Outcome::kDelete, olm::kBeingDeleted, step);
    case olm::OperandFate::kDelete:
      trial.asks = true;
      return SetOutcome(Outcome::kDelete, olm::kAccepted, step);
    case olm::OperandFate::kKeep:
      break;
  }
  if (verdict.allowed()) {
    const std::string& why = trial.count->plan.kept;
    return SetOutcome(Outcome::kKeep, why.empty() ? "NoTarget" : why, step);
  }
  const bool unknown = verdict.kind == olm::CleanupVerdictKind::kUnknown;
  const std::string_view why =
      verdict.blockers.empty() ? "" : olm::ToString(verdict.blockers.front().reason);
  SetOutcome(unknown ? Outcome::kUnknown : Outcome::kKeep, why, step);
}

VoidTask Try(controllers::CleanupInspector& inspector, const std::function<VoidTask()>& pace,
             Trial& trial) {
  if (pace) co_await pace();
  const absl::Status answer = co_await inspector.TryDelete(trial.count->gvr, *trial.operand);
  // The operand is gone, or another object has its name.
  trial.gone = kube::IsNotFound(answer, trial.operand->name.name) || kube::IsConflict(answer);
  olm::SayAnswer(answer, Outcome::kDelete, trial.step);
  trial.step.message.clear();
}

void WriteOperand(const Trial& trial, cleanup::v1::OperandPreview& out) {
  const olm::PreviewStep& step = trial.step;
  out.set_group(trial.count->gvr.group);
  out.set_version(trial.count->gvr.version);
  out.set_plural(trial.count->gvr.resource);
  out.set_kind(trial.count->plan.kind);
  out.set_namespace_(trial.operand->name.ns);
  out.set_name(trial.operand->name.name);
  out.set_uid(trial.operand->uid);
  out.set_outcome(std::string(olm::ToString(step.outcome)));
  out.set_basis(std::string(olm::ToString(step.basis)));
  out.set_reason(step.reason);
  out.set_code(step.code);
}

olm::PlanCondition ConditionOf(const controllers::CleanupPreview& found, bool may_delete) {
  olm::PlanCondition condition;
  condition.executable = found.verdict.allowed();
  condition.reason = olm::ToString(found.verdict.kind);
  for (const olm::CleanupBlocker& blocker : found.verdict.blockers) {
    StrAppend(&condition.message, condition.message.empty() ? "" : "; ",
              blocker.message.empty() ? olm::ToString(blocker.reason) : blocker.message);
  }
  if (found.verdict.KeepsByChoice()) {
    condition.executable = true;
    condition.reason = "OperandsKept";
  }
  if (!found.deleting && !may_delete) {
    condition.executable = false;
    condition.reason = "Forbidden";
  }
  return condition;
}

void AddDeletion(const kube::NamespacedName& csv, bool deleting, bool may_delete,
                 olm::PlanPreview& preview) {
  olm::PreviewStep& step = preview.Add(olm::kCsvKind, csv, csv.name);
  SetOutcome(Outcome::kDelete, deleting ? olm::kBeingDeleted : olm::kDeletedByRequester, step);
  if (deleting || may_delete) return;
  SetOutcome(Outcome::kFail, "Forbidden", step);
  step.message = "the requester may not delete it";
}

void AddDefinition(const OperandCount& count, const std::string& csv, olm::PlanPreview& preview) {
  if (count.plan.state == olm::CrdState::kGone) return;
  olm::PreviewStep& step = preview.Add(kDefinition, {"", count.plan.crd}, csv);
  if (!count.unreadable.empty()) {
    SetOutcome(Outcome::kUnknown, "Unreadable", step);
    step.message = count.unreadable;
  } else if (count.plan.state == olm::CrdState::kTerminating) {
    SetOutcome(Outcome::kDelete, olm::kBeingDeleted, step);
  } else {
    SetOutcome(Outcome::kKeep, "DefinitionStays", step);
  }
}

}  // namespace

StatusTask WriteUninstall(controllers::CleanupInspector& inspector, const kube::NamespacedName& csv,
                          const controllers::CleanupPreview& found, size_t max,
                          const MayList& may_list, const std::function<VoidTask()>& pace,
                          cleanup::v1::PreviewResponse& out) {
  std::vector<Trial> trials;
  PageVisibility visibility(may_list, kMaxReviews);
  int64_t all = 0;
  int64_t seen = 0;
  int64_t hidden = 0;
  bool more = max > 0;
  for (const OperandCount& count : found.definitions) {
    all += count.all();
    for (const CountedOperand& operand : count.first) {
      more =
          more && static_cast<size_t>(seen) < max && visibility.CanTell(count.gvr, operand.name.ns);
      if (!more) break;
      ++seen;
      CO_ASSIGN_OR_RETURN(const bool shows, co_await visibility.Shows(count.gvr, operand.name.ns));
      if (!shows) {
        ++hidden;
        continue;
      }
      SayByRule(found.verdict, trials.emplace_back(Trial{&count, &operand}));
    }
    // Operands of the next definition may only follow all operands of this one.
    more = more && static_cast<int64_t>(count.first.size()) == count.all();
  }
  std::vector<Trial*> asked;
  for (Trial& trial : trials) {
    if (trial.asks) asked.push_back(&trial);
  }
  const auto try_one = [&inspector, &pace, &asked](size_t i) {
    return Try(inspector, pace, *asked[i]);
  };
  co_await ForEachInFlight(asked.size(), kWidth, try_one);
  olm::PlanPreview preview;
  preview.condition = ConditionOf(found, out.requester_may_delete());
  AddDeletion(csv, found.deleting, out.requester_may_delete(), preview);
  for (Trial& trial : trials) {
    if (trial.gone) continue;
    WriteOperand(trial, *out.add_operands());
    const kube::GroupVersionResource& gvr = trial.count->gvr;
    olm::PreviewStep& step = preview.Add({gvr.group, gvr.version, trial.count->plan.kind},
                                         trial.operand->name, csv.name);
    SetOutcome(trial.step.outcome, trial.step.reason, step);
    step.basis = trial.step.basis;
    step.code = trial.step.code;
  }
  for (const OperandCount& count : found.definitions) AddDefinition(count, csv.name, preview);
  preview.hidden = hidden;
  preview.remaining = all - seen;
  out.set_hidden(preview.hidden);
  out.set_remaining(preview.remaining);
  olm::WritePreview(preview, *out.mutable_preview());
  co_return absl::OkStatus();
}

}  // namespace steward::rpc
