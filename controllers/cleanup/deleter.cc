#include "controllers/cleanup/deleter.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/async/in_flight.h"
#include "base/clock/time_limit.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/live_reads.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {
namespace {

enum class Outcome { kProgress, kOther, kDenied, kFailed };

// What an answer to a DELETE means.
Outcome OutcomeOf(const absl::Status& status) {
  if (status.ok()) return Outcome::kProgress;
  const kube::Status answer = kube::FromStatus(status);
  // It has no answer of a server otherwise.
  if (!kube::HasReason(status, answer.reason)) return Outcome::kFailed;
  switch (answer.code) {
    case 404:
      return Outcome::kProgress;
    case 409:
      return Outcome::kOther;
    case 401:
    case 408:
    case 410:
    case 429:
      return Outcome::kFailed;
    default:
      return answer.code >= 400 && answer.code < 500 ? Outcome::kDenied : Outcome::kFailed;
  }
}

std::string NameOf(const OperandsOfCrd& crd, const kube::NamespacedName& name) {
  return StrCat(crd.plan.kind, " ", name.ns, name.ns.empty() ? "" : "/", name.name);
}

// The plans of a fresh reading, by definition. None when it does not allow anything.
std::map<std::string, olm::CrdPlan> PlansOf(const GuardReading& guards) {
  std::map<std::string, olm::CrdPlan> plans;
  const olm::Verdict verdict = olm::CleanupVerdict(guards.inputs);
  // Without a record nothing is sent.
  if (!verdict.allowed() || !guards.inputs.csv->record.has_value()) return plans;
  if (!guards.inputs.csv->deleting()) return plans;
  for (olm::CrdPlan& plan : olm::PlanCleanup(guards.inputs.csv->owned_crds, guards.inputs.crds,
                                             verdict.targets, olm::TargetSet())) {
    plans.emplace(plan.crd, std::move(plan));
  }
  return plans;
}

}  // namespace

struct Deleter::Batch {
  std::map<std::string, olm::CrdPlan> plans;
  absl::Duration deadline;  // monotonic
  DeletionLedger& ledger;
  DeletionRound& round;
  std::vector<Candidate> unsent;  // time ran out
};

Deleter::Deleter(kube::Client& client, GuardReader& guards, const Leadership& leadership,
                 Clock& clock, DeleterOptions options)
    : client_(client), guards_(guards), leadership_(leadership), clock_(clock), options_(options) {}

std::vector<Deleter::Candidate> Deleter::Choose(const OperandListing& listing,
                                                const DeletionLedger& ledger,
                                                DeletionRound& round) const {
  std::vector<Candidate> chosen;
  const absl::Duration now = clock_.Monotonic();
  for (const OperandsOfCrd& crd : listing.crds) {
    if (crd.plan.state != olm::CrdState::kServed) continue;
    for (const Operand& operand : crd.pending) {
      if (operand.deleting()) continue;
      switch (ledger.Ask(crd.plan.crd, operand.name, operand.uid, now)) {
        case DeletionLedger::Answer::kDelete:
          chosen.push_back({&crd, &operand});
          break;
        case DeletionLedger::Answer::kNotYet:
          ++round.waiting;
          break;
        case DeletionLedger::Answer::kRecreated:
          ++round.recreated;
          round.left_alone = NameOf(crd, operand.name);
          break;
        case DeletionLedger::Answer::kFull:
          round.failure = absl::ResourceExhaustedError(
              StrCat("more than ", DeletionLedger::kMaxNames, " CRs to delete"));
          break;
      }
    }
  }
  return chosen;
}

boost::asio::awaitable<DeletionRound> Deleter::Run(kube::NamespacedName csv,
                                                   const OperandListing& listing,
                                                   GuardReading guards, DeletionLedger& ledger) {
  DeletionRound round;
  std::vector<Candidate> left = Choose(listing, ledger, round);
  const std::optional<olm::CleanupRecord> remembered = guards.inputs.remembered;
  std::optional<GuardReading> next = std::move(guards);
  while (!left.empty() && !round.stopped && round.failure.ok()) {
    // What is old already would not last for a batch.
    const bool fresh =
        next.has_value() && clock_.Monotonic() - next->began < options_.guard_age / 2;
    if (!fresh) co_await ReadGuards(csv, remembered, next);
    Batch batch{PlansOf(*next), next->began + options_.guard_age, ledger, round, {}};
    next.reset();
    if (batch.plans.empty()) {
      round.stopped = true;
      break;
    }
    const size_t size = std::min(left.size(), options_.batch);
    const size_t sent = round.sent;
    const bool ahead = options_.read_ahead && size < left.size();
    co_await ForEachInFlight(ahead ? 2 : 1, 2, [&](size_t i) {
      return i == 0 ? SendBatch(batch, left, size) : ReadGuards(csv, remembered, next);
    });
    left.erase(left.begin(), left.begin() + static_cast<long>(size));
    if (batch.unsent.size() == size && round.sent == sent && round.failure.ok()) {
      round.failure = absl::DeadlineExceededError(StrCat("reading the guards takes longer than ",
                                                         absl::FormatDuration(options_.guard_age)));
    }
    left.insert(left.begin(), batch.unsent.begin(), batch.unsent.end());
  }
  co_return round;
}

VoidTask Deleter::ReadGuards(kube::NamespacedName csv, std::optional<olm::CleanupRecord> remembered,
                             std::optional<GuardReading>& reading) {
  reading = co_await guards_.Look(std::move(csv), std::move(remembered));
}

VoidTask Deleter::SendBatch(Batch& batch, const std::vector<Candidate>& candidates, size_t size) {
  co_await ForEachInFlight(size, options_.width,
                           [&](size_t i) { return DeleteOne(batch, candidates[i]); });
}

VoidTask Deleter::DeleteOne(Batch& batch, Candidate candidate) {
  if (batch.round.stopped || !batch.round.failure.ok()) co_return;
  const olm::CrdPlan& listed = candidate.crd->plan;
  const auto plan = batch.plans.find(listed.crd);
  // The targets may have become fewer, and the definition another one, since it was listed.
  if (plan == batch.plans.end() || plan->second.state != olm::CrdState::kServed ||
      plan->second.cluster_scoped != listed.cluster_scoped ||
      olm::FateOf(plan->second, candidate.operand->name.ns, false) != olm::OperandFate::kDelete) {
    batch.round.stopped = true;
    co_return;
  }
  if (clock_.Monotonic() >= batch.deadline) {
    batch.unsent.push_back(candidate);
    co_return;
  }
  const absl::Status leading = leadership_.Check();
  if (!leading.ok()) {
    batch.round.failure = leading;
    co_return;
  }
  batch.ledger.NoteSent(listed.crd, candidate.operand->name, candidate.operand->uid,
                        clock_.Monotonic());
  ++batch.round.sent;
  // However long the client would wait for a connection or a server that is busy.
  StatusTask send = SendDelete(candidate);
  const absl::Status outcome = co_await WithTimeout(clock_, batch.deadline - clock_.Monotonic(),
                                                    "a DELETE", std::move(send));
  Judge(batch, candidate, outcome);
}

StatusTask Deleter::SendDelete(Candidate candidate) {
  kube::DeleteOptions options;
  options.uid = candidate.operand->uid;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  const absl::StatusOr<boost::json::value> answer =
      co_await client_.Delete(candidate.crd->gvr, candidate.operand->name, options);
  co_return answer.status();
}

void Deleter::Judge(Batch& batch, const Candidate& candidate, const absl::Status& outcome) {
  DeletionRound& round = batch.round;
  switch (OutcomeOf(outcome)) {
    case Outcome::kProgress:
      ++round.accepted;
      return;
    case Outcome::kOther:
      // Another object has the name now: it is listed first.
      return;
    case Outcome::kDenied:
      ++round.denied;
      round.denial =
          StrCat(NameOf(*candidate.crd, candidate.operand->name), ": ", Describe(outcome));
      batch.ledger.NoteDenied(candidate.crd->plan.crd, candidate.operand->name, clock_.Monotonic());
      return;
    case Outcome::kFailed:
      if (round.failure.ok()) round.failure = outcome;
      return;
  }
}

}  // namespace steward::controllers
