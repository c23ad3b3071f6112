#include "plugin/cluster/related.h"

#include <algorithm>
#include <utility>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

using Names = bool (*)(const json::object&, std::string_view);

Task<std::vector<RelatedObject>> Find(kube::Client& client, kube::GroupVersionResource gvr,
                                      std::string kind, kube::NamespacedName csv, Names names) {
  std::vector<RelatedObject> found;
  const auto take = [&](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const json::value value, ParseObject(raw.json));
    const json::object* metadata = ObjectAt(value.get_object(), "metadata");
    if (metadata == nullptr || !names(value.get_object(), csv.name)) return absl::OkStatus();
    const std::string name(StringAt(*metadata, "name"));
    found.push_back({gvr,
                     kind,
                     {csv.ns, name},
                     std::string(StringAt(*metadata, "uid")),
                     OthersInPlan(value.get_object(), csv.name)});
    return absl::OkStatus();
  };
  const absl::Status status = co_await VisitAll(client, gvr, csv.ns, /*metadata_only=*/false, take);
  if (kube::IsNotServed(status)) co_return std::vector<RelatedObject>();
  if (!status.ok()) {
    co_return WithContext(StrCat("listing ", gvr.GroupResource(), ", which may install it again"),
                          status);
  }
  std::sort(found.begin(), found.end(),
            [](const RelatedObject& a, const RelatedObject& b) { return a.name < b.name; });
  co_return std::move(found);
}

std::vector<std::string_view> NamesInPlan(const json::object& plan) {
  std::vector<std::string_view> names;
  const json::object* spec = ObjectAt(plan, "spec");
  const json::array* list =
      spec == nullptr ? nullptr : ArrayAt(*spec, "clusterServiceVersionNames");
  if (list == nullptr) return names;
  for (const json::value& name : *list) {
    if (name.is_string()) names.push_back(View(name.get_string()));
  }
  return names;
}

}  // namespace

std::string Describe(const RelatedObject& object) {
  return StrCat(object.kind, " ", object.name.ns, "/", object.name.name);
}

bool SubscriptionNames(const json::object& subscription, std::string_view csv) {
  static const json::object& none = *new json::object;
  const json::object* found = ObjectAt(subscription, "status");
  const json::object& status = found == nullptr ? none : *found;
  const std::string_view installed = StringAt(status, "installedCSV");
  const std::string_view current = StringAt(status, "currentCSV");
  if (installed == csv || current == csv) return true;
  // startingCSV never changes, so it says nothing once the operator was upgraded.
  const json::object* spec = ObjectAt(subscription, "spec");
  return installed.empty() && current.empty() && spec != nullptr &&
         StringAt(*spec, "startingCSV") == csv;
}

bool PlanNames(const json::object& plan, std::string_view csv) {
  const std::vector<std::string_view> names = NamesInPlan(plan);
  return std::find(names.begin(), names.end(), csv) != names.end();
}

bool UnfinishedPlanNames(const json::object& plan, std::string_view csv) {
  const json::object* status = ObjectAt(plan, "status");
  const std::string_view phase = status == nullptr ? "" : StringAt(*status, "phase");
  return phase != "Complete" && phase != "Failed" && PlanNames(plan, csv);
}

std::vector<std::string> OthersInPlan(const json::object& plan, std::string_view csv) {
  std::vector<std::string> others;
  for (const std::string_view name : NamesInPlan(plan)) {
    if (name != csv) others.emplace_back(name);
  }
  return others;
}

Task<std::vector<RelatedObject>> FindRelated(kube::Client& client, kube::NamespacedName csv) {
  CO_ASSIGN_OR_RETURN(
      std::vector<RelatedObject> related,
      co_await Find(client, kSubscriptions, "Subscription", csv, SubscriptionNames));
  CO_ASSIGN_OR_RETURN(
      std::vector<RelatedObject> plans,
      co_await Find(client, kInstallPlans, "InstallPlan", csv, UnfinishedPlanNames));
  related.insert(related.end(), plans.begin(), plans.end());
  co_return std::move(related);
}

StatusTask DeleteRelated(kube::Client& client, RelatedObject object, bool dry_run) {
  kube::DeleteOptions options;
  options.uid = object.uid;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  options.dry_run = dry_run;
  const absl::StatusOr<json::value> answer =
      co_await client.Delete(object.gvr, object.name, options);
  if (answer.ok() || kube::IsNotFound(answer.status(), object.name.name) ||
      kube::IsConflict(answer.status())) {
    co_return absl::OkStatus();
  }
  co_return WithContext(StrCat("deleting the ", Describe(object)), answer.status());
}

}  // namespace steward::plugin
