#include "apiserver/views/plan_preview/creation/object.h"

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

}  // namespace

CreatedPreview::CreatedPreview(json::object metadata, json::object spec, olm::PlanPreview answer)
    : metadata_(std::move(metadata)), spec_(std::move(spec)), answer_(std::move(answer)) {}

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
  if (!answer_.condition.message.empty()) AppendMember("message", answer_.condition.message, out);
  AppendMember("reason", answer_.condition.reason, out);
  AppendMember("status", answer_.condition.executable ? "True" : "False", out);
  AppendMember("type", "Executable", out);
  out.append("}]");
  AppendKey("hidden", out);
  StrAppend(&out, answer_.hidden);
  AppendKey("remaining", out);
  StrAppend(&out, answer_.remaining);
  AppendKey("steps", out);
  olm::AppendSteps(answer_.steps, out);
  AppendKey("summary", out);
  olm::AppendSummary(olm::PreviewSummary::Of(answer_.steps), out);
  out.push_back('}');
}

void CreatedPreview::AppendCells(std::string& out) const {
  const olm::PreviewSummary summary = olm::PreviewSummary::Of(answer_.steps);
  out.push_back('[');
  AppendJsonString(name(), out);
  out.append(answer_.condition.executable ? R"(,"True",)" : R"(,"False",)");
  AppendJsonString(answer_.condition.reason, out);
  StrAppend(&out, ",", summary[Outcome::kCreate] + summary[Outcome::kUpdate]);
  for (const Outcome outcome :
       {Outcome::kDelete, Outcome::kKeep, Outcome::kUnchanged, Outcome::kNotCreated,
        Outcome::kBlocked, Outcome::kFail, Outcome::kUnknown}) {
    StrAppend(&out, ",", summary[outcome]);
  }
  StrAppend(&out, ",", answer_.hidden, ",", answer_.remaining, "]");
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
