#include "plugin/preview/uninstall_steps.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "bundle/dependents.h"
#include "olm/preview/preview.h"
#include "olm/resources.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/related.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

using olm::Outcome;

constexpr size_t kMostDependents = 1000;
// The most unreadable kinds that are named.
constexpr size_t kMostNamed = 10;

Outcome OutcomeOf(bundle::Dependent::Fate fate) {
  switch (fate) {
    case bundle::Dependent::Fate::kGoes:
      return Outcome::kDelete;
    case bundle::Dependent::Fate::kStays:
      return Outcome::kKeep;
    case bundle::Dependent::Fate::kUnknown:
      break;
  }
  return Outcome::kUnknown;
}

// Returns the sentence for a reason.
std::string_view SentenceOf(std::string_view reason) {
  if (reason == bundle::kOwned) return "the garbage collector takes it";
  if (reason == bundle::kOwnedByOthers) return "another owner of it is there";
  if (reason == bundle::kOwnerUnknown) return "whether its other owner is there is not known";
  if (reason == bundle::kByFinalizer) return "it goes before OLM's finalizer is taken off";
  if (reason == bundle::kUsedByOthers) return "another operator was installed with it, too";
  if (reason == bundle::kNoFinalizer) return "the operator has no finalizer, so nobody deletes it";
  if (reason == bundle::kCopy) return "a copy goes with its original";
  if (reason == bundle::kGroupsOperators) return "an Operator outlives its components";
  return "";
}

void SetOutcome(Outcome outcome, std::string_view reason, std::string_view message,
                olm::PreviewStep& step) {
  step.outcome = outcome;
  step.reason = reason;
  step.message = message;
}

class Steps {
 public:
  Steps(kube::Client& client, kube::NamespacedName csv, olm::PlanPreview& preview)
      : client_(client), csv_(std::move(csv)), preview_(preview) {}

  VoidTask Add() {
    co_await TryDeletion();
    co_await AddRelated();
    co_await AddDependents();
  }

 private:
  olm::PreviewStep* Find(std::string_view kind, const kube::NamespacedName& name) {
    for (olm::PreviewStep& step : preview_.steps) {
      if (step.gvk.kind == kind && step.ns == name.ns && step.name == name.name) return &step;
    }
    return nullptr;
  }

  olm::PreviewStep& Add(const kube::GroupVersionKind& gvk, const kube::NamespacedName& name) {
    return preview_.Add(gvk, name, csv_.name);
  }

  VoidTask TryDeletion() {
    olm::PreviewStep* step = Find(olm::kCsvKind.kind, csv_);
    if (step == nullptr || step->reason != olm::kDeletedByRequester) co_return;
    const absl::StatusOr<Csv> csv = co_await ReadCsv(client_, csv_);
    absl::Status answer = csv.status();
    if (csv.ok()) answer = co_await DeleteCsv(client_, csv->facts, /*dry_run=*/true);
    step->message.clear();
    olm::SayAnswer(answer, Outcome::kDelete, *step);
    if (step->outcome != Outcome::kDelete) {
      preview_.condition = {false, step->reason, step->message};
    }
  }

  VoidTask AddRelated() {
    const absl::StatusOr<std::vector<RelatedObject>> related = co_await FindRelated(client_, csv_);
    if (!related.ok()) {
      unread_.push_back("subscriptions and installplans");
      co_return;
    }
    for (const RelatedObject& each : *related) {
      olm::PreviewStep& step = Add({each.gvr.group, each.gvr.version, each.kind}, each.name);
      if (each.kept()) {
        SetOutcome(Outcome::kKeep, "InstallsOthers",
                   StrCat("it also installs ", absl::StrJoin(each.also_installs, ", "),
                          ": unless it is deleted, it can install ", csv_.name, " again"),
                   step);
        continue;
      }
      const absl::Status answer = co_await DeleteRelated(client_, each, /*dry_run=*/true);
      SetOutcome(Outcome::kDelete, "InstallsItAgain", "kubectl steward uninstall deletes it before",
                 step);
      olm::SayAnswer(answer, Outcome::kDelete, step);
    }
  }

  VoidTask AddDependents() {
    const absl::StatusOr<bundle::Dependents> found =
        co_await bundle::FindDependents(client_, csv_, kMostDependents);
    if (!found.ok()) {
      unread_.push_back(StrCat("what goes along (", ToStd(found.status().message()), ")"));
    } else {
      for (const bundle::Dependent& each : found->objects) {
        olm::PreviewStep* step = Find(each.gvk.kind, each.name);
        const bool goes = each.fate == bundle::Dependent::Fate::kGoes;
        if (step != nullptr && (!goes || step->outcome != Outcome::kKeep)) continue;
        if (step == nullptr) step = &Add(each.gvk, each.name);
        SetOutcome(OutcomeOf(each.fate), each.reason, SentenceOf(each.reason), *step);
      }
      for (const bundle::Unread& each : found->unread) unread_.push_back(each.where);
      preview_.remaining += static_cast<int64_t>(found->more);
    }
    if (unread_.empty()) co_return;
    const size_t named = std::min(unread_.size(), kMostNamed);
    std::string message = StrCat(
        "you may not read these, or there was no answer: ",
        absl::StrJoin(unread_.begin(), unread_.begin() + static_cast<ptrdiff_t>(named), ", "));
    if (named < unread_.size()) StrAppend(&message, " and ", unread_.size() - named, " more");
    SetOutcome(Outcome::kUnknown, "Unreadable", message, Add({"", "", ""}, {"", "other objects"}));
  }

  kube::Client& client_;
  const kube::NamespacedName csv_;
  olm::PlanPreview& preview_;
  std::vector<std::string> unread_;
};

// Writes the changed parts of the preview into the document.
void Write(const olm::PlanPreview& preview, const olm::PlanCondition& before,
           json::object& status) {
  const auto set = [&status](std::string_view key, const std::string& text) {
    absl::StatusOr<json::value> value = ParseJson(text);
    if (value.ok()) status[key] = *std::move(value);
  };
  std::string text;
  olm::AppendSteps(preview.steps, text);
  set("steps", text);
  text.clear();
  olm::AppendSummary(olm::PreviewSummary::Of(preview.steps), text);
  set("summary", text);
  status["remaining"] = preview.remaining;
  if (preview.condition == before) return;
  text.clear();
  olm::AppendConditions(preview.condition, text);
  set("conditions", text);
}

}  // namespace

VoidTask AddWhatGoesAlong(kube::Client& client, kube::NamespacedName csv, AskedPreview& asked) {
  const olm::PlanCondition before = asked.said.condition;
  Steps steps(client, std::move(csv), asked.said);
  co_await steps.Add();
  Write(asked.said, before, asked.object.at("status").get_object());
}

}  // namespace steward::plugin
