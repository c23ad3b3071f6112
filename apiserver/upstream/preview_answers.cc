#include "apiserver/upstream/preview_answers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::upstream {
namespace {

const kube::GroupVersionKind kCsv = {"operators.coreos.com", "v1alpha1", "ClusterServiceVersion"};
const kube::GroupVersionKind kDefinition = {"apiextensions.k8s.io", "v1",
                                            "CustomResourceDefinition"};

// Reasons of a refusal with which somebody has said that operands shall stay.
constexpr std::string_view kChoices[] = {"NotOptedIn", "NotSupported", "OperandDeleteDisabled",
                                         "OrphanRequested"};

bool IsValue(const std::string& json) { return json.empty() || ParseJson(json).ok(); }

// Values that are no JSON, which would break the answer that they become a part of, are left out.
PreviewedChange ChangeOf(plan::v1::Change& from) {
  PreviewedChange change;
  change.path = std::move(*from.mutable_path());
  const bool readable = IsValue(from.before()) && IsValue(from.after());
  change.cut = from.cut() || !readable;
  if (!readable) return change;
  change.before = std::move(*from.mutable_before());
  change.after = std::move(*from.mutable_after());
  return change;
}

PreviewedStep StepOf(plan::v1::Step& from) {
  PreviewedStep step;
  step.index = from.index();
  step.resolving = std::move(*from.mutable_resolving());
  step.gvk = {std::move(*from.mutable_group()), std::move(*from.mutable_version()),
              std::move(*from.mutable_kind())};
  step.name = {std::move(*from.mutable_namespace_()), std::move(*from.mutable_name())};
  step.declared_optional = from.declared_optional();
  step.optional = from.optional();
  step.outcome = std::move(*from.mutable_outcome());
  step.basis = std::move(*from.mutable_basis());
  step.reason = std::move(*from.mutable_reason());
  step.code = from.code();
  step.message = std::move(*from.mutable_message());
  step.changed_fields.assign(from.changed_fields().begin(), from.changed_fields().end());
  step.status = std::move(*from.mutable_status());
  for (plan::v1::Change& change : *from.mutable_changes()) step.changes.push_back(ChangeOf(change));
  step.warnings.assign(from.warnings().begin(), from.warnings().end());
  return step;
}

PreviewedStep& AddStep(kube::GroupVersionKind gvk, kube::NamespacedName name,
                       std::string_view resolving, Preview& preview) {
  PreviewedStep step;
  step.index = static_cast<int64_t>(preview.steps.size()) + 1;
  step.gvk = std::move(gvk);
  step.name = std::move(name);
  step.resolving = resolving;
  step.basis = "Rule";
  return preview.steps.emplace_back(std::move(step));
}

void AddDeletion(const kube::NamespacedName& csv, const cleanup::v1::PreviewResponse& response,
                 Preview& preview) {
  PreviewedStep& step = AddStep(kCsv, csv, csv.name, preview);
  step.outcome = "Delete";
  step.reason = "DeletedByRequester";
  if (response.being_deleted()) {
    step.reason = "BeingDeleted";
  } else if (!response.requester_may_delete()) {
    step.outcome = "Fail";
    step.reason = "Forbidden";
    step.message = "the requester may not delete it";
  }
}

bool KeptByChoice(const cleanup::v1::PreviewResponse& response) {
  return std::any_of(response.blockers().begin(), response.blockers().end(),
                     [](const cleanup::v1::Blocker& blocker) {
                       return std::find(std::begin(kChoices), std::end(kChoices),
                                        blocker.reason()) != std::end(kChoices);
                     });
}

void Conclude(const cleanup::v1::PreviewResponse& response, Preview& preview) {
  preview.executable = response.verdict() == "Allowed";
  preview.reason = response.verdict();
  for (const cleanup::v1::Blocker& blocker : response.blockers()) {
    if (!preview.message.empty()) preview.message.append("; ");
    preview.message.append(blocker.message().empty() ? blocker.reason() : blocker.message());
  }
  if (KeptByChoice(response)) {
    preview.executable = true;
    preview.reason = "OperandsKept";
  }
  if (!response.being_deleted() && !response.requester_may_delete()) {
    preview.executable = false;
    preview.reason = "Forbidden";
  }
}

// Where the original of a copy is, and who sees the operator by the copy alone.
std::string AboutCopy(const copiedcsv::v1::Change& change, const std::string& name) {
  const std::string& home = change.operator_namespace();
  if (home.empty()) return "copy of an operator that is gone";
  const std::string about = StrCat("copy of ", home, "/", name);
  if (change.action() != "Delete") return about;
  if (change.requester_loses_sight()) {
    return StrCat(about, "; the requester sees this operator by its copies alone");
  }
  return StrCat(about, "; without it, whoever may not list ClusterServiceVersions in ", home,
                " loses sight of the operator here");
}

void AddChange(copiedcsv::v1::Change& change, Preview& preview) {
  const std::string operator_name = change.name();
  PreviewedStep& step =
      AddStep(kCsv, {std::move(*change.mutable_namespace_()), std::move(*change.mutable_name())},
              operator_name, preview);
  step.outcome = change.outcome().empty() ? change.action() : change.outcome();
  if (!change.basis().empty()) step.basis = std::move(*change.mutable_basis());
  step.code = change.code();
  const bool as_intended = step.outcome == change.action() || change.message().empty();
  step.reason = as_intended ? change.reason() : change.message();
  step.message = AboutCopy(change, operator_name);
}

std::string Counted(int64_t count, std::string_view one, std::string_view many) {
  return StrCat(count, " ", count == 1 ? one : many);
}

// "24 copies to create, in 24 namespaces, of 1 operator; 2 copies stay".
std::string SummaryText(const copiedcsv::v1::PreviewSummary& all) {
  std::string text;
  if (all.creates() > 0) text = StrCat(Counted(all.creates(), "copy", "copies"), " to create");
  if (all.deletes() > 0) {
    StrAppend(&text, text.empty() ? "" : " and ", Counted(all.deletes(), "copy", "copies"),
              " to delete");
  }
  if (text.empty()) {
    text = "there are no copies to create or to delete";
  } else {
    StrAppend(&text, ", in ", Counted(all.namespaces(), "namespace", "namespaces"), ", of ",
              Counted(all.operators(), "operator", "operators"));
  }
  if (all.stays() > 0) {
    StrAppend(&text, "; ", all.stays(), all.stays() == 1 ? " copy stays" : " copies stay");
  }
  if (!all.installed_operators().empty()) {
    StrAppend(&text, "; InstalledOperators: ", all.installed_operators());
  }
  return text;
}

}  // namespace

Preview PreviewOf(plan::v1::PreviewResponse response) {
  Preview preview;
  preview.executable = response.executable().status();
  preview.reason = response.executable().reason();
  preview.message = response.executable().message();
  preview.steps.reserve(static_cast<size_t>(response.steps_size()));
  for (plan::v1::Step& step : *response.mutable_steps()) preview.steps.push_back(StepOf(step));
  preview.hidden = response.hidden();
  return preview;
}

Preview PreviewOf(const kube::NamespacedName& csv, cleanup::v1::PreviewResponse response) {
  Preview preview;
  Conclude(response, preview);
  AddDeletion(csv, response, preview);
  for (cleanup::v1::OperandPreview& operand : *response.mutable_operands()) {
    PreviewedStep& step =
        AddStep({std::move(*operand.mutable_group()), std::move(*operand.mutable_version()),
                 std::move(*operand.mutable_kind())},
                {std::move(*operand.mutable_namespace_()), std::move(*operand.mutable_name())},
                csv.name, preview);
    step.outcome = std::move(*operand.mutable_outcome());
    step.basis = std::move(*operand.mutable_basis());
    step.reason = std::move(*operand.mutable_reason());
    step.code = operand.code();
  }
  for (cleanup::v1::DefinitionPreview& definition : *response.mutable_definitions()) {
    if (definition.state() == "Gone") continue;
    PreviewedStep& step =
        AddStep(kDefinition, {"", std::move(*definition.mutable_name())}, csv.name, preview);
    if (definition.unreadable().empty()) {
      const bool goes = definition.state() == "Terminating";
      step.outcome = goes ? "Delete" : "Keep";
      step.reason = goes ? "BeingDeleted" : "DefinitionStays";
      continue;
    }
    step.outcome = "Unknown";
    step.reason = "Unreadable";
    step.message = std::move(*definition.mutable_unreadable());
  }
  preview.hidden = response.hidden();
  preview.remaining = response.remaining();
  return preview;
}

void AddChanges(copiedcsv::v1::PreviewResponse page, Preview& preview) {
  for (copiedcsv::v1::Change& change : *page.mutable_changes()) AddChange(change, preview);
  preview.hidden += page.hidden();
  preview.remaining = page.remaining();
  const copiedcsv::v1::PreviewSummary& all = page.summary();
  if (all.not_reconciled()) {
    preview.executable = false;
    preview.reason = "NobodyCopies";
    preview.message =
        "nobody makes or deletes copies: the reconciler copied-csvs does not run here, so that "
        "nothing becomes of the choice";
    return;
  }
  preview.executable =
      std::none_of(preview.steps.begin(), preview.steps.end(),
                   [](const PreviewedStep& step) { return step.outcome == "Fail"; });
  const bool changes = all.creates() + all.deletes() > 0;
  preview.reason = !preview.executable ? "StepsFail" : changes ? "CopiesChange" : "NothingToChange";
  preview.message = SummaryText(all);
}

}  // namespace steward::upstream
