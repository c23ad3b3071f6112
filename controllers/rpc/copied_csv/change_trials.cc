#include "controllers/rpc/copied_csv/change_trials.h"

#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/json/json_text.h"
#include "kube/dry_run/dry_run_answer.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/copy/content.h"
#include "olm/objects.h"
#include "olm/preview/preview.h"
#include "olm/resources.h"
#include "storage/operators/operator_world.h"

namespace steward::rpc {
namespace json = boost::json;
namespace {

using copiedcsv::v1::Change;
using olm::Basis;
using olm::Outcome;

constexpr size_t kWidth = 8;  // requests under way at a time

// The copies in no namespace, by their originals.
using Copies = std::map<kube::NamespacedName, json::value>;

void Say(std::string_view outcome, Basis basis, Change& change) {
  change.set_outcome(std::string(outcome));
  change.set_basis(std::string(olm::ToString(basis)));
}

void SayAnswer(const absl::Status& answer, Change& change) {
  switch (kube::JudgeDryRun(answer)) {
    case kube::DryRunVerdict::kAccepted:
      return Say(change.action(), Basis::kDryRun, change);
    case kube::DryRunVerdict::kRefused:
      change.set_code(kube::FromStatus(answer).code);
      change.set_message(kube::RefusalReason(answer));
      return Say(olm::ToString(Outcome::kFail), Basis::kDryRun, change);
    case kube::DryRunVerdict::kUntried:
      change.set_message("WebhookWithoutDryRun");
      break;
    case kube::DryRunVerdict::kNoAnswer:
      change.set_message("NoAnswer");
      break;
  }
  Say(olm::ToString(Outcome::kUnknown), Basis::kRule, change);
}

VoidTask TryCreate(kube::DryRunClient& client, const std::function<VoidTask()>& pace,
                   const json::value& copy, Change& change) {
  if (pace) co_await pace();
  json::value object = copy;
  object.as_object()["metadata"].as_object()["namespace"] = change.namespace_();
  const kube::WriteOptions options;
  const absl::StatusOr<json::value> created =
      co_await client.Create(olm::kCsvs, change.namespace_(), object, options);
  // Somebody made it meanwhile, as it would be made.
  const bool there = kube::IsAlreadyExists(created.status());
  SayAnswer(there ? absl::OkStatus() : created.status(), change);
}

VoidTask TryDelete(kube::DryRunClient& client, const std::function<VoidTask()>& pace,
                   Change& change) {
  if (pace) co_await pace();
  const kube::NamespacedName copy = {change.namespace_(), change.name()};
  const kube::DeleteOptions options;
  const absl::Status deleted = (co_await client.Delete(olm::kCsvs, copy, options)).status();
  const bool gone = kube::IsNotFound(deleted, copy.name);
  SayAnswer(gone ? absl::OkStatus() : deleted, change);
}

VoidTask Nothing() { co_return; }

}  // namespace

VoidTask TryChanges(kube::DryRunClient& client, const controllers::CopiesDifference& difference,
                    const std::function<VoidTask()>& pace, copiedcsv::v1::PreviewResponse& page) {
  Copies copies;
  for (const Change& change : page.changes()) {
    if (change.action() != olm::ToString(Outcome::kCreate)) continue;
    kube::NamespacedName original = {change.operator_namespace(), change.name()};
    if (copies.contains(original)) continue;
    const olm::CsvPtr* csv = difference.world->csvs().Find(original);
    if (csv == nullptr) continue;
    absl::StatusOr<json::value> copy = ParseJson(olm::CopyJson(**csv, ""));
    if (copy.ok()) copies.emplace(std::move(original), *std::move(copy));
  }
  const auto try_one = [&client, &pace, &copies, &page](size_t i) -> VoidTask {
    Change& change = *page.mutable_changes(static_cast<int>(i));
    if (change.action() == olm::ToString(Outcome::kDelete)) return TryDelete(client, pace, change);
    const auto copy = copies.find({change.operator_namespace(), change.name()});
    if (copy != copies.end()) return TryCreate(client, pace, copy->second, change);
    // It stays, or its original is gone.
    Say(change.action(), Basis::kRule, change);
    return Nothing();
  };
  co_await ForEachInFlight(static_cast<size_t>(page.changes_size()), kWidth, try_one);
}

}  // namespace steward::rpc
