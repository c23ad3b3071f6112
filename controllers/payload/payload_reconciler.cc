#include "controllers/payload/payload_reconciler.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/payload/upgradeable_report.h"
#include "olm/payload/payload_record.h"
#include "olm/payload/removal.h"

namespace steward::controllers {
namespace {

using olm::Removal;
using olm::RemovalState;
using payload::TaskReport;
using Action = TaskReport::Action;

const kube::GroupVersionKind kConfigMap = {"", "v1", "ConfigMap"};

constexpr std::string_view kPayloadRefused = "PayloadRefused";

// The interval at which the folder and the removals under way are read.
constexpr absl::Duration kLook = absl::Seconds(5);
// A folder must be unchanged for this time before it is read. A kubelet writes a volume in steps,
// so an earlier read could take a part of a payload for the whole.
constexpr absl::Duration kSettle = absl::Seconds(1);
// The pause between two tries to begin a refused update.
constexpr absl::Duration kRefusedPause = absl::Seconds(10);
// The longest text of an Event, in bytes; longer ones are cut.
constexpr size_t kMaxText = 1000;
// The most Events about reasons to do nothing; the log has all reasons.
constexpr size_t kMaxRefusals = 15;
// The most Events about failed objects in one pass; the log and the metric have all.
constexpr size_t kMaxFailures = 10;

Key PayloadKey() { return {"", "payload"}; }
Key RemovalsKey() { return {"", "removals"}; }

// Joins the sentences into as few texts as fit into Events.
std::vector<std::string> Grouped(const std::vector<std::string>& sentences) {
  std::vector<std::string> texts;
  for (const std::string& each : sentences) {
    if (texts.empty() || texts.back().size() + each.size() >= kMaxText) {
      texts.push_back(each);
    } else {
      StrAppend(&texts.back(), "\n", each);
    }
  }
  return texts;
}

std::vector<std::string> Sentences(const std::vector<olm::PayloadFault>& faults) {
  std::vector<std::string> sentences;
  for (const olm::PayloadFault& each : faults) {
    sentences.push_back(StrCat(each.where, ": ", each.what));
  }
  return sentences;
}

std::string Sentence(const Removal& removal) {
  return StrCat(removal.identity.ToString(), removal.note.empty() ? "" : ": ", removal.note);
}

}  // namespace

PayloadReconciler::PayloadReconciler(const ReconcilerDeps& deps, PayloadMetrics& metrics,
                                     const ReconciledPayload& given)
    : deps_(deps),
      metrics_(metrics),
      given_(given),
      options_(given.flags.Options()),
      mapper_(deps.client, deps.clock),
      record_(deps.client, options_.record_namespace) {}

VoidTask PayloadReconciler::Feed(WorkQueue& queue) {
  queue.Add(PayloadKey());
  std::string seen;
  while (true) {
    const absl::StatusOr<std::string> mark = payload::PayloadFolderMark(given_.folder);
    if (mark.ok() && *mark != seen) {
      if (!seen.empty()) queue.Add(PayloadKey());
      seen = *mark;
    }
    if (!record_.record().Holding().empty()) queue.Add(RemovalsKey());
    co_await deps_.clock.Sleep(kLook);
  }
}

Task<ReconcileResult> PayloadReconciler::Reconcile(Key key) {
  if (key == RemovalsKey()) co_return co_await ReconcileRemovals();
  co_return co_await ReconcilePayload();
}

absl::StatusOr<bool> PayloadReconciler::ReadFolder() {
  ASSIGN_OR_RETURN(const std::string mark, payload::PayloadFolderMark(given_.folder));
  if (std::exchange(seen_, mark) != mark) return false;
  if (release_ && mark == mark_) return true;
  ASSIGN_OR_RETURN(payload::Release release,
                   payload::ReadPayloadFolder(given_.folder, payload::TemplateFieldsOf(options_)));
  ASSIGN_OR_RETURN(seen_, payload::PayloadFolderMark(given_.folder));
  if (mark != seen_) return false;
  release_ = std::move(release);
  mark_ = mark;
  rights_checked_ = false;
  return true;
}

Task<ReconcileResult> PayloadReconciler::ReconcilePayload() {
  const absl::StatusOr<bool> settled = ReadFolder();
  if (settled.ok() && !*settled) co_return ReconcileResult::After(kSettle);
  if (!settled.ok()) {
    Refuse(kPayloadRefused, {std::string(ToStd(settled.status().message()))});
    // Removals under way are followed even without a payload.
    CO_RETURN_IF_ERROR(co_await record_.Load());
    CO_RETURN_IF_ERROR(co_await Report());
    co_return ReconcileResult::After(kRefusedPause);
  }
  const payload::PassDeps deps = Deps();
  const payload::PassObserver observer = Observer();
  failures_ = 0;
  payload::PayloadPass pass(deps, *release_, options_, observer);
  const payload::PassResult result = co_await pass.Run(!rights_checked_);
  absl::StatusOr<ReconcileResult> concluded = Conclude(result);
  // The report is not part of the record, so a failed write loses nothing.
  const absl::Status reported = co_await Report();
  if (concluded.ok() && !reported.ok()) co_return reported;
  co_return concluded;
}

absl::StatusOr<ReconcileResult> PayloadReconciler::Conclude(const payload::PassResult& result) {
  RETURN_IF_ERROR(result.error);
  if (!result.faults.empty()) {
    Refuse(kPayloadRefused, Sentences(result.faults));
    return ReconcileResult::After(kRefusedPause);
  }
  for (const std::string& each : result.warnings) {
    log::Warning("The update begins all the same", {{"precondition", each}});
  }
  if (!result.refused.empty()) {
    Refuse("UpdateBlocked", result.refused);
    return ReconcileResult::After(kRefusedPause);
  }
  rights_checked_ = true;
  told_.clear();
  metrics_.refused.Set(0);
  metrics_.failed.Set(static_cast<double>(result.failed.size()));
  if (result.completed) {
    const std::string version = record_.record().version;
    log::Info("The payload's update is completed", {{"version", version}});
    Tell(EventType::kNormal, "UpdateCompleted", StrCat("the payload ", version, " is completed"));
  }
  if (result.failed.empty()) return ReconcileResult::After(given_.interval);
  const TaskReport& first = result.failed.front();
  return absl::Status(first.error.code(),
                      StrCat(result.failed.size(), " objects of the payload failed, and ",
                             result.not_begun, " behind them wait; the first is ",
                             first.identity.ToString(), ": ", ToStd(first.error.message())));
}

Task<ReconcileResult> PayloadReconciler::ReconcileRemovals() {
  const payload::PassDeps deps = Deps();
  const payload::PassObserver observer = Observer();
  const absl::Status followed = co_await payload::FollowRemovals(deps, observer);
  CO_RETURN_IF_ERROR(co_await Report());
  CO_RETURN_IF_ERROR(followed);
  co_return ReconcileResult::Done();
}

// Reports in the ClusterOperator, the metrics and an Event what holds minor updates back.
StatusTask PayloadReconciler::Report() {
  // An unread record tells nothing about holds, and a missing one has none, so there is nothing to
  // report.
  if (!record_.known() || (record_.uid().empty() && held_.empty())) co_return absl::OkStatus();
  const olm::PayloadRecord& record = record_.record();
  metrics_.SetRecord(record);
  const std::string holding = olm::HoldingSentence(record);
  if (std::exchange(held_, holding) != holding && !holding.empty()) {
    Tell(EventType::kWarning, olm::kDeletesInProgress, holding);
  }
  co_return co_await ReportUpgradeable(deps_.client, mapper_, deps_.clock, holding);
}

payload::PassObserver PayloadReconciler::Observer() {
  payload::PassObserver observer;
  observer.begins = [this](olm::PayloadState state, size_t tasks) {
    if (state == olm::PayloadState::kReconciling) return;
    log::Info("A payload is worked on", {{"version", payload::VersionOf(*release_, options_)},
                                         {"state", std::string(NameOf(state))},
                                         {"manifests", tasks}});
  };
  observer.done = [this](const TaskReport& report) {
    if (report.action == Action::kCreated || report.action == Action::kUpdated)
      metrics_.applied.Increment();
    if (report.action != Action::kFailed) return;
    log::Warning("An object of the payload failed", {{"object", report.identity.ToString()},
                                                     {"manifest", report.where},
                                                     {"err", report.error}});
    if (++failures_ > kMaxFailures) return;
    Tell(EventType::kWarning, "ObjectFailed",
         StrCat(report.identity.ToString(), ": ", ToStd(report.error.message())));
  };
  observer.dropped = [this](const Removal& removal) {
    log::Info(
        "A removal is dropped",
        {{"object", removal.identity.ToString()}, {"uid", removal.uid}, {"note", removal.note}});
    Tell(EventType::kNormal, "RemovalDropped",
         StrCat(removal.identity.ToString(),
                ": no manifest asks for its removal any more, and the server never accepted it"));
  };
  observer.waits = [this](const olm::PayloadIdentity& identity, const std::string& lack) {
    log::Info("An object of the payload is waited for",
              {{"object", identity.ToString()}, {"lack", lack}});
    Tell(EventType::kNormal, "WaitingForObject", StrCat(identity.ToString(), ": ", lack));
  };
  observer.removal = [this](const Removal& removal) {
    log::Info("A removal", {{"object", removal.identity.ToString()},
                            {"uid", removal.uid},
                            {"state", std::string(NameOf(removal.state))},
                            {"note", removal.note}});
    switch (removal.state) {
      case RemovalState::kInitiated:
        Tell(EventType::kNormal, "RemovalInitiated", Sentence(removal));
        return;
      case RemovalState::kOngoing:
        return;  // Report covers all removals that hold updates
      case RemovalState::kCompleted:
        metrics_.deleted.Increment();
        Tell(removal.note.empty() ? EventType::kNormal : EventType::kWarning, "RemovalCompleted",
             Sentence(removal));
        return;
      case RemovalState::kReappeared:
        metrics_.reappeared.Increment();
        Tell(EventType::kWarning, "ObjectReappeared", Sentence(removal));
        return;
      case RemovalState::kFailed:
        Tell(EventType::kWarning, "RemovalRefused", Sentence(removal));
        return;
    }
  };
  return observer;
}

void PayloadReconciler::Tell(EventType type, std::string_view reason, const std::string& text) {
  const kube::NamespacedName name = {record_.ns(), std::string(olm::kRecordName)};
  deps_.events.Record({kConfigMap, name, record_.uid()}, type, reason, text);
}

void PayloadReconciler::Refuse(std::string_view reason, const std::vector<std::string>& sentences) {
  metrics_.refused.Set(1);
  const std::string all = absl::StrJoin(sentences, "\n");
  if (std::exchange(told_, all) == all) return;
  for (const std::string& each : sentences) {
    log::Warning("Nothing is done with the payload",
                 {{"reason", std::string(reason)}, {"because", each}});
  }
  const std::vector<std::string> texts = Grouped(sentences);
  for (size_t i = 0; i < texts.size() && i < kMaxRefusals; ++i) {
    Tell(EventType::kWarning, reason, texts[i]);
  }
}

}  // namespace steward::controllers
