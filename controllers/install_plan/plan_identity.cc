#include "controllers/install_plan/plan_identity.h"

#include <boost/json/value.hpp>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

const kube::GroupVersionResource kServiceAccounts = {"", "v1", "serviceaccounts"};

}  // namespace

Task<PlanIdentity> IdentityOf(kube::Client& client, const olm::InstallPlan& plan) {
  const std::string& ns = plan.key.ns;
  kube::ListOptions list;
  list.ns = ns;
  list.limit = 10;
  CO_ASSIGN_OR_RETURN(const kube::ListPage page, co_await client.List(olm::kOperatorGroups, list));
  PlanIdentity identity;
  std::string group;
  kube::NamespacedName account = {ns, ""};
  for (const kube::RawObject& raw : page.items) {
    CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw.json));
    if (!kube::MetadataText(object, "deletionTimestamp").empty()) continue;
    if (!group.empty()) {
      identity.waits = "more than one operator group(s) are managing this namespace";
      co_return identity;
    }
    group = kube::MetadataText(object, "name");
    const json::object* spec = object.is_object() ? ObjectAt(object.get_object(), "spec") : nullptr;
    if (spec != nullptr) account.name = StringAt(*spec, "serviceAccountName");
  }
  if (group.empty()) {
    identity.waits = "no operator group found that is managing this namespace";
    co_return identity;
  }
  if (!account.name.empty()) {
    const absl::Status read = (co_await client.Get(kServiceAccounts, account)).status();
    if (kube::IsNotFound(read, account.name)) {
      identity.waits = StrCat("the service account ", account.name, " of the operator group ",
                              group, " is not there");
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
