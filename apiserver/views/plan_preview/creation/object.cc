#include "apiserver/views/plan_preview/creation/object.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "apiserver/views/virtual_resource/json_member.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::views {
namespace json = boost::json;
namespace {

using olm::Outcome;

constexpr std::string_view kTypeMeta =
    R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"PlanPreview","metadata":)";

// A word that is not known is of a newer version of the controllers.
Outcome OutcomeOf(std::string_view word) {
  for (size_t i = 0; i < olm::kOutcomes; ++i) {
    if (olm::ToString(static_cast<Outcome>(i)) == word) return static_cast<Outcome>(i);
  }
  return Outcome::kUnknown;
}

std::vector<olm::PreviewStep> StepsOf(std::vector<upstream::PreviewedStep> from) {
  std::vector<olm::PreviewStep> steps;
  steps.reserve(from.size());
  for (upstream::PreviewedStep& step : from) {
    olm::PreviewStep& to = steps.emplace_back();
    to.index = static_cast<size_t>(std::max<int64_t>(step.index, 1) - 1);
    to.resolving = std::move(step.resolving);
    to.gvk = std::move(step.gvk);
    to.ns = std::move(step.name.ns);
    to.name = std::move(step.name.name);
    to.declared_optional = step.declared_optional;
    to.optional = step.optional;
    to.outcome = OutcomeOf(step.outcome);
    to.basis =
        step.basis == olm::ToString(olm::Basis::kDryRun) ? olm::Basis::kDryRun : olm::Basis::kRule;
    to.reason = std::move(step.reason);
    to.code = step.code;
    to.message = std::move(step.message);
    to.changed_fields = std::move(step.changed_fields);
    to.status = std::move(step.status);
    for (upstream::PreviewedChange& change : step.changes) {
      to.changes.push_back(
          {std::move(change.path), std::move(change.before), std::move(change.after), change.cut});
    }
    to.warnings = std::move(step.warnings);
  }
  return steps;
}

}  // namespace

CreatedPreview::CreatedPreview(json::object metadata, json::object spec, upstream::Preview answer)
    : metadata_(std::move(metadata)),
      spec_(std::move(spec)),
      executable_(answer.executable),
      reason_(std::move(answer.reason)),
      message_(std::move(answer.message)),
      hidden_(answer.hidden),
      remaining_(answer.remaining),
      steps_(StepsOf(std::move(answer.steps))) {}

std::string_view CreatedPreview::ns() const { return StringAt(metadata_, "namespace"); }
std::string_view CreatedPreview::name() const { return StringAt(metadata_, "name"); }

void CreatedPreview::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text().append(kTypeMeta);
  AppendMetadata(resource_version, out);
  std::string& text = out.text();
  AppendKey("spec", text);
  steward::AppendJson(spec_, text);
  AppendKey("status", text);
  AppendStatus(text);
  text.push_back('}');
}

void CreatedPreview::AppendMetadata(std::string_view /*resource_version*/, Rope& out) const {
  steward::AppendJson(metadata_, out.text());
}

void CreatedPreview::AppendStatus(std::string& out) const {
  out.push_back('{');
  AppendKey("conditions", out);
  out.append("[{");
  if (!message_.empty()) AppendMember("message", message_, out);
  AppendMember("reason", reason_, out);
  AppendMember("status", executable_ ? "True" : "False", out);
  AppendMember("type", "Executable", out);
  out.append("}]");
  AppendKey("hidden", out);
  StrAppend(&out, hidden_);
  AppendKey("remaining", out);
  StrAppend(&out, remaining_);
  AppendKey("steps", out);
  olm::AppendSteps(steps_, out);
  AppendKey("summary", out);
  olm::AppendSummary(olm::PreviewSummary::Of(steps_), out);
  out.push_back('}');
}

void CreatedPreview::AppendCells(std::string& out) const {
  const olm::PreviewSummary summary = olm::PreviewSummary::Of(steps_);
  out.push_back('[');
  AppendJsonString(name(), out);
  out.append(executable_ ? R"(,"True",)" : R"(,"False",)");
  AppendJsonString(reason_, out);
  StrAppend(&out, ",", summary[Outcome::kCreate] + summary[Outcome::kUpdate]);
  for (const Outcome outcome :
       {Outcome::kDelete, Outcome::kKeep, Outcome::kUnchanged, Outcome::kNotCreated,
        Outcome::kBlocked, Outcome::kFail, Outcome::kUnknown}) {
    StrAppend(&out, ",", summary[outcome]);
  }
  StrAppend(&out, ",", hidden_, ",", remaining_, "]");
}

std::vector<rest::Column> CreatedPreviewColumns() {
  return {
      {"Name", "string", "name", "Of the question", 0},
      {"Executable", "string", "", "Whether it would happen", 0},
      {"Reason", "string", "", "Why it would, or would not", 0},
      {"Create", "integer", "", "Objects that would be created or updated", 0},
      {"Delete", "integer", "", "Objects that would be deleted", 0},
      {"Keep", "integer", "", "Objects that would stay although others go", 0},
      {"Unchanged", "integer", "", "Steps that are done, or would change nothing", 0},
      {"NotCreated", "integer", "", "Optional steps that the cluster refuses, or would refuse", 0},
      {"Blocked", "integer", "", "Steps that would not be tried", 0},
      {"Fail", "integer", "", "Steps that would fail", 0},
      {"Unknown", "integer", "", "Steps of which nobody can tell before they are done", 0},
      {"Hidden", "integer", "", "Steps whose objects the requester may not list", 1},
      {"Remaining", "integer", "", "Steps behind those that were looked at", 1},
  };
}

}  // namespace steward::views
