#include "controllers/cleanup/inspector.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/plan.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr int kAbortAttempts = 5;
constexpr int kRetrySeconds = 2;

absl::Status NoSuchCsv(const kube::NamespacedName& csv) {
  return kube::ToStatus(kube::NotFound(kCsvs, csv.name));
}

absl::Status Unreadable(std::string_view what, std::string_view why) {
  return kube::ToStatus(kube::ServiceUnavailable(StrCat(what, ": ", why), kRetrySeconds));
}

VoidTask CountInto(kube::Client& client, olm::CrdPlan plan, size_t keep, OperandCount& out) {
  out = co_await CountOperands(client, std::move(plan), keep);
}

// Changes the facts as if the administrator had chosen `opt_in`. Also assumes the confirmation,
// because it follows an opt-in by itself.
void Suppose(SupposedOptIn opt_in, olm::CleanupInputs& inputs) {
  olm::CsvFacts& csv = *inputs.csv;
  if (csv.deleting()) return;
  const std::string finalizer(olm::kCleanupFinalizer);
  if (opt_in == SupposedOptIn::kWithdrawn) {
    std::erase(csv.finalizers, finalizer);
  } else if (opt_in == SupposedOptIn::kGiven && !csv.HasFinalizer(finalizer)) {
    csv.finalizers.push_back(finalizer);
    if (inputs.protection.ok()) csv.confirmed = inputs.protection->opt_in.proof;
  }
}

json::value AbortPatch(const olm::CsvFacts& csv) {
  json::object metadata{{"uid", csv.uid}, {"resourceVersion", csv.resource_version}};
  json::object spec{{"cleanup", json::object{{"enabled", false}}}};
  return json::object{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

}  // namespace

CleanupInspector::CleanupInspector(kube::Client& client, Clock& clock, KnownCsvs known,
                                   GuardOptions options, EventRecorder& events)
    : client_(client),
      tries_(client),
      terms_(options.terms),
      csvs_(client, terms_),
      guards_(client, csvs_, clock, std::move(known), options),
      width_(options.width),
      events_(events) {}

Task<GuardReading> CleanupInspector::Look(kube::NamespacedName csv) {
  GuardReading reading = co_await guards_.Look(csv, std::nullopt, CsvDetail::kObject);
  const olm::Read<olm::CsvFacts>& facts = reading.inputs.csv;
  if (facts.absent()) co_return NoSuchCsv(csv);
  if (!facts.ok()) co_return Unreadable("the ClusterServiceVersion cannot be read", facts.why());
  if (facts->copied_from.has_value()) co_return NoSuchCsv(csv);
  co_return reading;
}

Task<OperandListing> CleanupInspector::Pending(kube::NamespacedName csv) {
  CO_ASSIGN_OR_RETURN(const GuardReading reading, co_await Look(std::move(csv)));
  const olm::CsvFacts& facts = *reading.inputs.csv;
  if (!facts.OptedIn()) co_return OperandListing();
  const olm::Verdict verdict = olm::CleanupVerdict(reading.inputs);
  const olm::Read<olm::TargetSet> drain = olm::DrainTargets(reading.inputs);
  if (!drain.ok()) co_return Unreadable("its targets cannot be known", drain.why());
  std::vector<olm::CrdPlan> plans = olm::PlanCleanup(reading.inputs, verdict.targets, *drain);
  co_return co_await ListOperands(client_, std::move(plans));
}

Task<CleanupPreview> CleanupInspector::Preview(kube::NamespacedName csv, SupposedOptIn opt_in,
                                               size_t keep) {
  CO_ASSIGN_OR_RETURN(GuardReading reading, co_await Look(std::move(csv)));
  Suppose(opt_in, reading.inputs);
  const olm::CsvFacts& facts = *reading.inputs.csv;
  CleanupPreview preview;
  preview.deleting = facts.deleting();
  preview.verdict = olm::CleanupVerdict(reading.inputs);
  if (facts.record.has_value()) {
    absl::StatusOr<olm::CleanupRecord> record = olm::DecodeRecord(*facts.record);
    if (record.ok()) preview.record = *std::move(record);
  }
  // Before a cleanup has begun, show objects that are being deleted within its targets as waited
  // for.
  olm::TargetSet drain = olm::EffectiveTargets(reading.inputs);
  if (const olm::Read<olm::TargetSet> read = olm::DrainTargets(reading.inputs);
      read.ok() && olm::MayHaveSent(reading.inputs)) {
    drain = *read;
  }
  const std::vector<olm::CrdPlan> plans =
      olm::PlanCleanup(reading.inputs, preview.verdict.targets, drain);
  preview.definitions.resize(plans.size());
  const auto count = [this, keep, &plans, &preview](size_t i) {
    return CountInto(client_, plans[i], keep, preview.definitions[i]);
  };
  co_await ForEachInFlight(plans.size(), width_, count);
  co_return preview;
}

StatusTask CleanupInspector::TryDelete(const kube::GroupVersionResource& gvr,
                                       const CountedOperand& operand) {
  kube::DeleteOptions options;
  options.uid = operand.uid;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  co_return (co_await tries_.Delete(gvr, operand.name, options)).status();
}

Task<bool> CleanupInspector::Abort(kube::NamespacedName csv, std::string uid, std::string by) {
  absl::Status conflict;
  for (int attempt = 0; attempt < kAbortAttempts; ++attempt) {
    CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client_.Get(kCsvs, csv));
    CO_ASSIGN_OR_RETURN(const olm::CsvFacts facts, olm::DecodeCsvFacts(raw.json, terms_));
    if (facts.copied_from.has_value()) co_return NoSuchCsv(csv);
    if (!uid.empty() && facts.uid != uid) {
      co_return kube::ToStatus(kube::Conflict(
          kCsvs, csv.name, StrCat("its UID is ", facts.uid, ", and not the one given")));
    }
    if (!facts.cleanup_enabled) co_return false;
    const json::value patch = AbortPatch(facts);
    const kube::WriteOptions options;
    const absl::StatusOr<json::value> patched =
        co_await client_.Patch(kCsvs, csv, kube::PatchType::kJsonMerge, patch, options);
    if (patched.ok()) {
      const ObjectReference about{kCsvKind, csv, facts.uid};
      events_.Record(about, EventType::kNormal, "CleanupDisabled",
                     StrCat("spec.cleanup.enabled was set to false by ", by));
      co_return true;
    }
    if (!kube::IsConflict(patched.status())) co_return patched.status();
    conflict = patched.status();
  }
  co_return conflict;
}

}  // namespace steward::controllers
