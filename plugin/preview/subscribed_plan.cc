#include "plugin/preview/subscribed_plan.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/printer.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

struct PlanReference {
  std::string ns;  // "" = the Subscription's namespace
  std::string name;
  std::string uid;  // "" = not given
};

// The status of a Subscription.
struct Subscribed {
  std::string installed;  // the name of the installed ClusterServiceVersion
  std::string current;
  std::string state;
  PlanReference plan;   // an empty name = none
  std::string failure;  // why nothing is resolved; "" = no reason given
};

std::string Text(const json::object& object, std::string_view key) {
  return std::string(StringAt(object, key));
}

PlanReference PlanOf(const json::object& status) {
  const json::object& reference = PartOf(status, "installPlanRef");
  if (!StringAt(reference, "name").empty()) {
    return {Text(reference, "namespace"), Text(reference, "name"), Text(reference, "uid")};
  }
  const json::object& old = PartOf(status, "installplan");
  return {"", Text(old, "name"), Text(old, "uuid")};
}

std::string FailureOf(const json::object& status) {
  const json::array* conditions = ArrayAt(status, "conditions");
  if (conditions == nullptr) return "";
  for (const json::value& each : *conditions) {
    const json::object* condition = each.if_object();
    if (condition == nullptr || StringAt(*condition, "status") != "True") continue;
    const std::string_view type = StringAt(*condition, "type");
    if (type != "ResolutionFailed" && type != "BundleUnpackFailed") continue;
    return StrCat(type, ": ", StringAt(*condition, "message"));
  }
  return "";
}

Subscribed Read(const json::object& subscription) {
  const json::object& status = PartOf(subscription, "status");
  return {Text(status, "installedCSV"), Text(status, "currentCSV"), Text(status, "state"),
          PlanOf(status), FailureOf(status)};
}

absl::Status Explain(const absl::Status& error, std::string_view what) {
  if (kube::IsForbidden(error)) return Refused(StrCat("you may not read ", what));
  if (kube::IsNotServed(error)) return absl::NotFoundError("this cluster has no Subscriptions");
  return error;
}

void Show(Session& session, const std::string& name, const Subscribed& is) {
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  PrintField(session.terminal, "Subscription", StrCat(session.ns, "/", name));
  PrintField(session.terminal, "State", is.state.empty() ? "not known yet" : is.state);
  PrintField(session.terminal, "installedCSV", or_none(is.installed));
  PrintField(session.terminal, "currentCSV", or_none(is.current));
  PrintField(session.terminal, "InstallPlan", or_none(is.plan.name));
  session.document["subscription"] = {{"namespace", session.ns},  {"name", name},
                                      {"state", is.state},        {"installedCSV", is.installed},
                                      {"currentCSV", is.current}, {"installPlan", is.plan.name}};
}

bool AllIsInstalled(const Subscribed& is) {
  return !is.installed.empty() && is.installed == is.current;
}

absl::Status NothingYet(const Subscribed& is) {
  return Forewarned(
      StrCat("the Subscription waits for no InstallPlan: nothing has been found for it",
             is.failure.empty() ? "" : " (", is.failure, is.failure.empty() ? "" : ")"));
}

// Reports that there is nothing to preview, and returns "".
std::string Nothing(Session& session) {
  session.terminal.Line("It waits for no InstallPlan: its currentCSV is installed");
  return "";
}

}  // namespace

Task<std::string> FindSubscribedPlan(Session& session, std::string name) {
  const kube::NamespacedName key = {session.ns, name};
  const absl::StatusOr<json::value> subscription =
      co_await ReadObject(session.client, kSubscriptions, key);
  if (kube::IsNotFound(subscription.status(), name)) {
    co_return absl::NotFoundError(
        StrCat("there is no Subscription ", name, " in the namespace ", session.ns));
  }
  if (!subscription.ok()) co_return Explain(subscription.status(), "the Subscription");
  const Subscribed is = Read(subscription->get_object());
  Show(session, name, is);
  if (is.plan.name.empty()) {
    if (AllIsInstalled(is)) co_return Nothing(session);
    co_return NothingYet(is);
  }
  if (!is.plan.ns.empty() && is.plan.ns != session.ns) {
    co_return Forewarned(StrCat("the Subscription names an InstallPlan of another namespace: ",
                                is.plan.ns, "/", is.plan.name));
  }
  const kube::NamespacedName plan_key = {session.ns, is.plan.name};
  const absl::StatusOr<json::value> plan =
      co_await ReadObject(session.client, kInstallPlans, plan_key);
  const bool gone = kube::IsNotFound(plan.status(), is.plan.name);
  if (!gone && !plan.ok()) co_return Explain(plan.status(), "the InstallPlan that it waits for");
  const bool another =
      !gone && !is.plan.uid.empty() && kube::MetadataText(*plan, "uid") != is.plan.uid;
  if (gone || another) {
    if (AllIsInstalled(is)) co_return Nothing(session);
    co_return Forewarned(
        StrCat("the InstallPlan ", is.plan.name, " that the Subscription waits for ",
               gone ? "is not there" : "is not there any more: another one has its name"));
  }
  const json::object& status = PartOf(plan->get_object(), "status");
  if (StringAt(status, "phase") == "Complete" && AllIsInstalled(is)) co_return Nothing(session);
  co_return is.plan.name;
}

}  // namespace steward::plugin
