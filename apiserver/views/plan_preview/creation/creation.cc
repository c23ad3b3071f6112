#include "apiserver/views/plan_preview/creation/creation.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "apiserver/upstream/asker.h"
#include "apiserver/views/plan_preview/creation/object.h"
#include "apiserver/views/plan_preview/creation/question.h"
#include "base/status/macros.h"

namespace steward::views {
namespace {

using Asked = decltype(Question::asked);

Task<upstream::Preview> Ask(upstream::Previews& upstream, upstream::Asker asker, std::string ns,
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

}  // namespace

Task<rest::ReviewAnswer> PlanPreviewCreation::Review(const kube::UserInfo& user,
                                                     rest::ReviewRequest request) {
  CO_ASSIGN_OR_RETURN(Question question, ParseQuestion(request.ns, std::move(request.question),
                                                       request.field_validation));
  upstream::Asker asker;
  asker.user = user;
  asker.audit_id = std::move(request.audit_id);
  asker.traceparent = std::move(request.traceparent);
  CO_ASSIGN_OR_RETURN(
      upstream::Preview preview,
      co_await Ask(upstream_, std::move(asker), std::move(request.ns), std::move(question.asked)));
  rest::ReviewAnswer answer;
  answer.object = std::make_unique<CreatedPreview>(std::move(question.metadata),
                                                   std::move(question.spec), std::move(preview));
  answer.warnings = std::move(question.warnings);
  co_return answer;
}

}  // namespace steward::views
