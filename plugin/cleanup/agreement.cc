#include "plugin/cleanup/agreement.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "plugin/cluster/operands.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace {

absl::Status NotShown(std::string_view what) {
  return Refused(StrCat(what, " than was shown; look at it again. It was not deleted"));
}

bool HasMore(const olm::OwnedApi& agreed, const olm::OwnedApi& now) {
  return agreed.kind != now.kind ||
         std::any_of(now.versions.begin(), now.versions.end(), [&agreed](const std::string& each) {
           return std::find(agreed.versions.begin(), agreed.versions.end(), each) ==
                  agreed.versions.end();
         });
}

}  // namespace

Agreement AgreementOf(const Csv& csv, const std::vector<olm::CrdPlan>& plans,
                      olm::TargetSet targets) {
  Agreement agreed;
  for (const olm::CrdPlan& plan : plans) agreed.definitions.emplace(plan.crd, plan.uid);
  agreed.apis = csv.owned_apis;
  agreed.targets = std::move(targets);
  return agreed;
}

absl::Status CheckOwned(const Agreement& agreed, const Csv& now) {
  std::vector<std::string> added;
  for (const std::string& name : now.facts.owned_crds) {
    if (!agreed.definitions.contains(name)) added.push_back(name);
  }
  for (const auto& [name, api] : now.owned_apis) {
    const auto before = agreed.apis.find(name);
    if (before == agreed.apis.end() || HasMore(before->second, api)) added.push_back(name);
  }
  if (added.empty()) return absl::OkStatus();
  return Refused(StrCat("it owns ", added.front(),
                        added.size() > 1 ? StrCat(" and ", added.size() - 1, " more") : "",
                        " now, which was not shown; look at it again. It was not deleted"));
}

absl::Status CheckTargets(const Agreement& agreed, const olm::TargetSet& now) {
  if (now.IsSubsetOf(agreed.targets)) return absl::OkStatus();
  return NotShown("the operator works in more namespaces now");
}

StatusTask CheckDefinitions(kube::Client& client, Agreement agreed) {
  std::set<std::string> names;
  for (const auto& [name, uid] : agreed.definitions) names.insert(name);
  CO_ASSIGN_OR_RETURN(const std::vector<olm::CrdPlan> now,
                      co_await ReadPlans(client, std::move(names), agreed.targets));
  for (const olm::CrdPlan& plan : now) {
    if (plan.uid.empty() || plan.uid == agreed.definitions.at(plan.crd)) continue;
    co_return NotShown(StrCat(plan.crd, " is another definition now"));
  }
  co_return absl::OkStatus();
}

}  // namespace steward::plugin
