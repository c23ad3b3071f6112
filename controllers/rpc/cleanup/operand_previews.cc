#include "controllers/rpc/cleanup/operand_previews.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/in_flight.h"
#include "base/status/macros.h"
#include "controllers/cleanup/operands/operand_counter.h"
#include "kube/dry_run/dry_run_answer.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/verdict.h"
#include "olm/preview/preview.h"

namespace steward::rpc {
namespace {

using cleanup::v1::OperandPreview;
using controllers::CountedOperand;
using controllers::OperandCount;
using olm::Basis;
using olm::Outcome;

// Requests under way at a time, as of the cleaner itself.
constexpr size_t kWidth = 8;
// Questions about single namespaces.
constexpr size_t kMaxReviews = 100;

struct Trial {
  const OperandCount* count;
  const CountedOperand* operand;
  OperandPreview preview;
  bool gone = false;
};

void Say(Outcome outcome, Basis basis, std::string_view reason, OperandPreview& out) {
  out.set_outcome(std::string(olm::ToString(outcome)));
  out.set_basis(std::string(olm::ToString(basis)));
  out.set_reason(std::string(reason));
}

// What is known without asking; nothing where a deletion has to be tried.
void SayByRule(const olm::Verdict& verdict, const OperandCount& count, olm::OperandFate fate,
               OperandPreview& out) {
  if (fate == olm::OperandFate::kWait)
    return Say(Outcome::kDelete, Basis::kRule, "BeingDeleted", out);
  if (fate == olm::OperandFate::kDelete) return;
  if (verdict.allowed()) {
    const std::string why = count.plan.kept.empty() ? "NoTarget" : count.plan.kept;
    return Say(Outcome::kKeep, Basis::kRule, why, out);
  }
  const bool unknown = verdict.kind == olm::CleanupVerdictKind::kUnknown;
  const std::string_view why =
      verdict.blockers.empty() ? "" : olm::ToString(verdict.blockers.front().reason);
  Say(unknown ? Outcome::kUnknown : Outcome::kKeep, Basis::kRule, why, out);
}

void SayAnswer(const absl::Status& answer, OperandPreview& out) {
  switch (kube::JudgeDryRun(answer)) {
    case kube::DryRunVerdict::kAccepted:
      return Say(Outcome::kDelete, Basis::kDryRun, "Accepted", out);
    case kube::DryRunVerdict::kUntried:
      return Say(Outcome::kUnknown, Basis::kRule, "WebhookWithoutDryRun", out);
    case kube::DryRunVerdict::kNoAnswer:
      return Say(Outcome::kUnknown, Basis::kRule, "NoAnswer", out);
    case kube::DryRunVerdict::kRefused:
      out.set_code(kube::FromStatus(answer).code);
      return Say(Outcome::kFail, Basis::kDryRun, kube::RefusalReason(answer), out);
  }
}

VoidTask Try(controllers::CleanupInspector& inspector, const std::function<VoidTask()>& pace,
             Trial& trial) {
  if (pace) co_await pace();
  const absl::Status answer = co_await inspector.TryDelete(trial.count->gvr, *trial.operand);
  // Gone, or another object has its name.
  trial.gone = kube::IsNotFound(answer, trial.operand->name.name) || kube::IsConflict(answer);
  if (!trial.gone) SayAnswer(answer, trial.preview);
}

Trial TrialOf(const olm::Verdict& verdict, const OperandCount& count,
              const CountedOperand& operand) {
  Trial trial{&count, &operand, {}};
  OperandPreview& out = trial.preview;
  out.set_group(count.gvr.group);
  out.set_version(count.gvr.version);
  out.set_plural(count.gvr.resource);
  out.set_kind(count.plan.kind);
  out.set_namespace_(operand.name.ns);
  out.set_name(operand.name.name);
  out.set_uid(operand.uid);
  SayByRule(verdict, count, operand.fate, out);
  return trial;
}

}  // namespace

StatusTask WriteOperands(controllers::CleanupInspector& inspector,
                         const controllers::CleanupPreview& preview, size_t max,
                         const MayList& may_list, const std::function<VoidTask()>& pace,
                         cleanup::v1::PreviewResponse& out) {
  std::vector<Trial> trials;
  PageVisibility visibility(may_list, kMaxReviews);
  int64_t all = 0;
  int64_t seen = 0;
  bool more = max > 0;
  for (const OperandCount& count : preview.definitions) {
    all += count.all();
    for (const CountedOperand& operand : count.first) {
      more =
          more && static_cast<size_t>(seen) < max && visibility.CanTell(count.gvr, operand.name.ns);
      if (!more) break;
      ++seen;
      CO_ASSIGN_OR_RETURN(const bool shows, co_await visibility.Shows(count.gvr, operand.name.ns));
      if (shows) {
        trials.push_back(TrialOf(preview.verdict, count, operand));
      } else {
        out.set_hidden(out.hidden() + 1);
      }
    }
    // Those of the next definition come after all of this one.
    more = more && static_cast<int64_t>(count.first.size()) == count.all();
  }
  out.set_remaining(all - seen);
  std::vector<Trial*> asked;
  for (Trial& trial : trials) {
    if (trial.preview.outcome().empty()) asked.push_back(&trial);
  }
  const auto try_one = [&inspector, &pace, &asked](size_t i) {
    return Try(inspector, pace, *asked[i]);
  };
  co_await ForEachInFlight(asked.size(), kWidth, try_one);
  for (Trial& trial : trials) {
    if (!trial.gone) *out.add_operands() = std::move(trial.preview);
  }
  co_return absl::OkStatus();
}

}  // namespace steward::rpc
