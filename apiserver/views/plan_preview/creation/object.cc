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
    to.index = static_cast<size_t>(std::max<int64_t>(step.index, 0));
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
  // It has no phase, and no word about approval.
  out.append(R"(,"",null)");
  StrAppend(&out, ",", summary[Outcome::kCreate] + summary[Outcome::kUpdate]);
  for (const Outcome outcome :
       {Outcome::kNotCreated, Outcome::kBlocked, Outcome::kFail, Outcome::kUnknown}) {
    StrAppend(&out, ",", summary[outcome]);
  }
  StrAppend(&out, R"(,"<unknown>",)", summary[Outcome::kUnchanged], ",");
  AppendJsonString(reason_, out);
  out.append(R"(,""])");
}

}  // namespace steward::views
