#include "apiserver/views/plan_preview/creation/creation.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "apiserver/upstream/asker.h"
#include "apiserver/views/plan_preview/creation/object.h"
#include "apiserver/views/plan_preview/creation/question.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/preview/preview.h"

namespace steward::views {
namespace {

using Asked = decltype(Question::asked);

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

// As Kubernetes makes names of generateName.
constexpr size_t kMaxNamePrefix = 58;
constexpr size_t kSuffixBytes = 5;

std::string NameOf(const Asked& asked) {
  if (const auto* plan = std::get_if<PlanQuestion>(&asked)) return plan->name;
  if (const auto* uninstall = std::get_if<UninstallQuestion>(&asked)) return uninstall->csv;
  return std::holds_alternative<CopiesQuestion>(asked) ? "copied-csvs" : "bundle";
}

// A question that was given no name has one in its answer: of its generateName, or that of what it
// is about. `id` is the request's own.
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
