#include "apiserver/views/plan_preview/object.h"

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "apiserver/views/virtual_resource/json_member.h"
#include "apiserver/views/virtual_resource/tombstone.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/human_duration.h"
#include "kube/meta/time.h"
#include "kube/meta/uuid.h"
#include "olm/preview/preview.h"

namespace steward::views {
namespace {

using olm::Outcome;

constexpr std::string_view kTypeMeta =
    R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"PlanPreview","metadata":)";

void AppendText(std::string_view key, std::string_view value, std::string& out) {
  if (!value.empty()) AppendMember(key, value, out);
}

}  // namespace

void PlanPreviewObject::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text().append(kTypeMeta);
  AppendMetadata(resource_version, out);
  std::string& text = out.text();
  AppendKey("spec", text);
  text.append(R"({"installPlan":{)");
  AppendMember("name", name(), text);
  text.append("}}");
  AppendKey("status", text);
  AppendStatus(text);
  text.push_back('}');
}

void PlanPreviewObject::AppendMetadata(std::string_view resource_version, Rope& rope) const {
  const olm::PlanFacts& plan = *outlook_->plan;
  std::string& out = rope.text();
  out.push_back('{');
  AppendText("creationTimestamp", plan.created, out);
  AppendLabels(plan.labels, out);
  AppendMember("name", plan.key.name, out);
  AppendMember("namespace", plan.key.ns, out);
  AppendMember("resourceVersion", resource_version, out);
  AppendMember("uid", kube::UuidV5(plan.uid, "PlanPreview"), out);
  out.push_back('}');
}

void PlanPreviewObject::AppendStatus(std::string& out) const {
  const olm::PlanFacts& plan = *outlook_->plan;
  const olm::PlanPreview preview = olm::PreviewOf(*outlook_, optional_manifests_);
  out.push_back('{');
  AppendKey("approved", out);
  out.append(plan.approved ? "true" : "false");
  if (!plan.csv_names.empty()) {
    AppendKey("clusterServiceVersionNames", out);
    out.push_back('[');
    for (const std::string& csv : plan.csv_names) {
      if (out.back() != '[') out.push_back(',');
      AppendJsonString(csv, out);
    }
    out.push_back(']');
  }
  AppendKey("conditions", out);
  olm::AppendConditions(preview.condition, out);
  AppendText("phase", plan.phase, out);
  AppendKey("steps", out);
  olm::AppendSteps(preview.steps, out);
  AppendKey("summary", out);
  olm::AppendSummary(olm::PreviewSummary::Of(preview.steps), out);
  out.push_back('}');
}

void PlanPreviewObject::AppendCells(std::string& out) const {
  const olm::PlanFacts& plan = *outlook_->plan;
  const olm::PlanPreview preview = olm::PreviewOf(*outlook_, optional_manifests_);
  const olm::PreviewSummary summary = olm::PreviewSummary::Of(preview.steps);
  const absl::StatusOr<absl::Time> created = kube::ParseRfc3339(plan.created);
  out.push_back('[');
  AppendJsonString(plan.key.name, out);
  out.push_back(',');
  AppendJsonString(plan.phase, out);
  out.append(plan.approved ? ",true" : ",false");
  for (const Outcome outcome : {Outcome::kCreate, Outcome::kNotCreated, Outcome::kBlocked,
                                Outcome::kFail, Outcome::kUnknown}) {
    StrAppend(&out, ",", summary[outcome]);
  }
  out.push_back(',');
  AppendJsonString(created.ok() ? kube::HumanDuration(clock_.Now() - *created) : "<unknown>", out);
  StrAppend(&out, ",", summary[Outcome::kUnchanged], ",");
  AppendJsonString(preview.condition.reason, out);
  out.push_back(',');
  AppendJsonString(absl::StrJoin(plan.csv_names, ","), out);
  out.push_back(']');
}

std::unique_ptr<const rest::Object> PlanPreviewTombstone(kube::NamespacedName key) {
  static const size_t columns = PlanPreviewColumns().size();
  return std::make_unique<Tombstone>(kTypeMeta, columns, std::move(key));
}

std::vector<rest::Column> PlanPreviewColumns() {
  return {
      {"Name", "string", "name", "The InstallPlan", 0},
      {"Phase", "string", "", "The InstallPlan's phase", 0},
      {"Approved", "boolean", "", "Whether the InstallPlan may be executed", 0},
      {"Create", "integer", "", "Steps whose objects would be created or updated", 0},
      {"NotCreated", "integer", "", "Optional steps that the cluster refuses, or would refuse", 0},
      {"Blocked", "integer", "", "Steps that would not be tried", 0},
      {"Fail", "integer", "", "Steps that would fail", 0},
      {"Unknown", "integer", "", "Steps of which nobody can tell before they are done", 0},
      {"Age", "string", "", "How long ago the InstallPlan was created", 0},
      {"Unchanged", "integer", "", "Steps that are done", 1},
      {"Reason", "string", "", "Why the InstallPlan would, or would not, be executed", 1},
      {"Operators", "string", "", "The ClusterServiceVersions that it installs", 1},
  };
}

}  // namespace steward::views
