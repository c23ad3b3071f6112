#include "controllers/install_plan/plan_identity.h"

#include <boost/json/object.hpp>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_object.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "olm/plan/plan_group.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {}  // namespace

Task<PlanIdentity> IdentityOf(kube::Client& client, const olm::InstallPlan& plan) {
  const std::string& ns = plan.key.ns;
  kube::ListOptions list;
  list.ns = ns;
  list.limit = 10;
  CO_ASSIGN_OR_RETURN(const kube::ListPage page, co_await client.List(olm::kOperatorGroups, list));
  PlanIdentity identity;
  olm::GroupChooser chooser;
  for (const kube::RawObject& raw : page.items) {
    CO_ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(raw.json));
    chooser.Add(olm::ReadPlanGroup(object));
  }
  olm::GroupChoice choice = chooser.Choose();
  identity.waits = std::move(choice.waits);
  if (!identity.waits.empty()) co_return identity;
  const kube::NamespacedName account = {ns, choice.account};
  if (!account.name.empty()) {
    const absl::Status read = (co_await client.Get(kube::kServiceAccounts, account)).status();
    if (kube::IsNotFound(read, account.name)) {
      identity.waits = StrCat("the service account ", account.name, " of the operator group ",
                              choice.group, " is not there");
      identity.told = false;
      co_return identity;
    }
    CO_RETURN_IF_ERROR(read);
    identity.account.emplace().name = StrCat("system:serviceaccount:", ns, ":", account.name);
  }
  for (const olm::BundleLookup& lookup : plan.lookups) {
    if (!lookup.pending || !identity.waits.empty()) continue;
    identity.waits =
        StrCat("the bundle ", lookup.identifier, " is not unpacked: its steps are missing");
  }
  co_return identity;
}

}  // namespace steward::controllers
