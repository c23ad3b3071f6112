#include "controllers/rpc/copied_csv/change_trials.h"

#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/json/json_text.h"
#include "controllers/rpc/copied_csv/messages.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/copy/content.h"
#include "olm/objects.h"
#include "olm/resources.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"
#include "storage/operators/operator_world.h"

namespace steward::rpc {
namespace json = boost::json;
namespace {

using controllers::CopyChange;
using olm::Outcome;

constexpr size_t kWidth = 8;  // requests under way at a time

// The copies to create, without a namespace, by their originals.
using Copies = std::map<kube::NamespacedName, json::value>;

kube::NamespacedName OriginalOf(const CopyChange& change) { return {*change.source, *change.name}; }

// Concludes from the API server's answer, but keeps the step's own message, which says where the
// original is.
void Conclude(const absl::Status& answer, olm::PreviewStep& step) {
  std::string about = std::move(step.message);
  olm::SayAnswer(answer, step.outcome, step);
  step.message = std::move(about);
}

VoidTask TryCreate(kube::DryRunClient& client, const json::value& copy, olm::PreviewStep& step) {
  json::value object = copy;
  object.as_object()["metadata"].as_object()["namespace"] = step.ns;
  const kube::WriteOptions options;
  const absl::StatusOr<json::value> created =
      co_await client.Create(olm::kCsvs, step.ns, object, options);
  // The copy was created meanwhile, just as this change would do.
  const bool there = kube::IsAlreadyExists(created.status());
  Conclude(there ? absl::OkStatus() : created.status(), step);
}

VoidTask TryDelete(kube::DryRunClient& client, olm::PreviewStep& step) {
  const kube::NamespacedName copy = {step.ns, step.name};
  const kube::DeleteOptions options;
  const absl::Status deleted = (co_await client.Delete(olm::kCsvs, copy, options)).status();
  const bool gone = kube::IsNotFound(deleted, copy.name);
  Conclude(gone ? absl::OkStatus() : deleted, step);
}

VoidTask Try(kube::DryRunClient& client, const std::function<VoidTask()>& pace,
             const Copies& copies, const CopyChange& change, olm::PreviewStep& step) {
  // Copies that stay, and copies without an original, are not tried.
  const auto copy = copies.find(OriginalOf(change));
  const bool creates = step.outcome == Outcome::kCreate && copy != copies.end();
  const bool deletes = step.outcome == Outcome::kDelete;
  if (!creates && !deletes) co_return;
  if (pace) co_await pace();
  if (creates) {
    co_await TryCreate(client, copy->second, step);
  } else {
    co_await TryDelete(client, step);
  }
}

}  // namespace

Task<olm::PlanPreview> TryChanges(kube::DryRunClient& client,
                                  const controllers::CopiesDifference& difference,
                                  const std::function<VoidTask()>& pace, ShownChanges& shown) {
  Copies copies;
  olm::PlanPreview preview;
  for (size_t i = 0; i < shown.changes.size(); ++i) {
    const CopyChange& change = *shown.changes[i];
    AddStep(change, shown.page.changes(static_cast<int>(i)), preview);
    if (ActionOf(change) != Outcome::kCreate) continue;
    kube::NamespacedName original = OriginalOf(change);
    if (copies.contains(original)) continue;
    const olm::CsvPtr* csv = difference.world->csvs().Find(original);
    if (csv == nullptr) continue;
    absl::StatusOr<json::value> copy = ParseJson(olm::CopyJson(**csv, ""));
    if (copy.ok()) copies.emplace(std::move(original), *std::move(copy));
  }
  const auto try_one = [&client, &pace, &copies, &shown, &preview](size_t i) {
    return Try(client, pace, copies, *shown.changes[i], preview.steps[i]);
  };
  co_await ForEachInFlight(preview.steps.size(), kWidth, try_one);
  for (size_t i = 0; i < preview.steps.size(); ++i) {
    const olm::PreviewStep& step = preview.steps[i];
    copiedcsv::v1::Change& told = *shown.page.mutable_changes(static_cast<int>(i));
    told.set_outcome(std::string(olm::ToString(step.outcome)));
    told.set_basis(std::string(olm::ToString(step.basis)));
    told.set_code(step.code);
    if (step.outcome != ActionOf(*shown.changes[i])) told.set_message(step.reason);
  }
  preview.hidden = shown.page.hidden();
  preview.remaining = shown.page.remaining();
  co_return preview;
}

}  // namespace steward::rpc
