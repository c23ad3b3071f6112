#include "apiserver/views/plan_preview/creation/creation.h"

#include <boost/json/object.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/upstream/asker.h"
#include "apiserver/views/plan_preview/creation/question.h"
#include "apiserver/views/virtual_resource/json_member.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/preview/preview.h"

namespace steward::views {
namespace json = boost::json;
namespace {

using Asked = decltype(Question::asked);
using olm::Outcome;

constexpr std::string_view kTypeMeta =
    R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"PlanPreview","metadata":)";

// A question with its answer. Immutable. It is not stored, so it has no UID, no resource version
// and no time.
class CreatedPreview : public rest::Object {
 public:
  // `metadata` and `spec` are those of the question. REQUIRES: `metadata` has a namespace and a
  // name.
  CreatedPreview(boost::json::object metadata, boost::json::object spec, olm::PlanPreview answer);

  std::string_view ns() const override;
  std::string_view name() const override;
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  // Appends one cell for each of CreatedPreviewColumns.
  void AppendCells(std::string& out) const override;

 private:
  void AppendStatus(std::string& out) const;

  const boost::json::object metadata_;
  const boost::json::object spec_;
  const olm::PlanPreview answer_;
};

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
  olm::AppendConditions(answer_.condition, out);
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

Task<olm::PlanPreview> Ask(upstream::Previews& upstream, upstream::Asker asker, std::string ns,
                           Asked asked) {
  if (auto* plan = std::get_if<PlanQuestion>(&asked)) {
    return upstream.OfPlan(std::move(asker), {std::move(ns), std::move(plan->name)});
  }
  if (auto* bundle = std::get_if<upstream::PreviewedBundle>(&asked)) {
    return upstream.OfBundle(std::move(asker), std::move(ns), std::move(*bundle));
  }
  if (auto* uninstall = std::get_if<UninstallQuestion>(&asked)) {
    return upstream.OfUninstall(std::move(asker), {std::move(ns), std::move(uninstall->csv)},
                                uninstall->cleanup);
  }
  return upstream.OfCopies(std::move(asker), std::get<CopiesQuestion>(asked).enabled);
}

// Kubernetes cuts generateName to this length and adds a random suffix.
constexpr size_t kMaxNamePrefix = 58;
constexpr size_t kSuffixBytes = 5;

std::string NameOf(const Asked& asked) {
  if (const auto* plan = std::get_if<PlanQuestion>(&asked)) return plan->name;
  if (const auto* uninstall = std::get_if<UninstallQuestion>(&asked)) return uninstall->csv;
  return std::holds_alternative<CopiesQuestion>(asked) ? "copied-csvs" : "bundle";
}

// Gives a question without a name one for its answer: made from its generateName, or the name of
// its subject. `id` is the ID of the request.
void SetName(std::string_view id, Question& question) {
  if (!StringAt(question.metadata, "name").empty()) return;
  const std::string_view prefix = StringAt(question.metadata, "generateName");
  const std::string suffix = absl::BytesToHexString(ToAbsl(Sha256(id)));
  question.metadata["name"] =
      prefix.empty() ? NameOf(question.asked)
                     : StrCat(prefix.substr(0, kMaxNamePrefix), suffix.substr(0, kSuffixBytes));
}

}  // namespace

Task<rest::ReviewAnswer> PlanPreviewCreation::Review(const kube::UserInfo& user,
                                                     rest::ReviewRequest request) {
  CO_ASSIGN_OR_RETURN(Question question, ParseQuestion(request.ns, std::move(request.question),
                                                       request.field_validation));
  SetName(request.audit_id, question);
  upstream::Asker asker;
  asker.user = user;
  asker.audit_id = std::move(request.audit_id);
  asker.traceparent = std::move(request.traceparent);
  CO_ASSIGN_OR_RETURN(
      olm::PlanPreview preview,
      co_await Ask(upstream_, std::move(asker), std::move(request.ns), std::move(question.asked)));
  rest::ReviewAnswer answer;
  answer.object = std::make_unique<CreatedPreview>(std::move(question.metadata),
                                                   std::move(question.spec), std::move(preview));
  answer.warnings = std::move(question.warnings);
  answer.columns = CreatedPreviewColumns();
  co_return answer;
}

}  // namespace steward::views
