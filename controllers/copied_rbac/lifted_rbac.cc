#include "controllers/copied_rbac/lifted_rbac.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/object_facts.h"
#include "olm/copied_rbac/policy_rule.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-copied-rbac";
constexpr char kRbac[] = "rbac.authorization.k8s.io";
constexpr int64_t kPage = 500;
const kube::GroupVersionResource kClusterRoles = {kRbac, "v1", "clusterroles"};
const kube::GroupVersionResource kClusterRoleBindings = {kRbac, "v1", "clusterrolebindings"};

using Found = std::map<std::string, olm::ObjectFacts>;  // by name

// Those that bear the owner labels of an operator in the namespace.
StatusTask ReadOwned(kube::Client& client, kube::GroupVersionResource gvr, std::string source,
                     Found& found) {
  kube::ListOptions list;
  list.label_selector = StrCat(olm::kOwnerKindLabel, "=", olm::kOwnerKind, ",",
                               olm::kOwnerNamespaceLabel, "=", source);
  list.limit = kPage;
  list.metadata_only = true;
  co_return co_await kube::VisitAll(
      client, gvr, list, [&found](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
        const std::string name = facts.key.name;
        found.emplace(name, std::move(facts));
        return absl::OkStatus();
      });
}

json::object Head(const olm::RbacPair& pair, const kube::LabelMap& labels, std::string_view kind) {
  json::object marks;
  for (const auto& [key, value] : labels) marks[key] = value;
  marks[olm::kOwnerLabel] = pair.csv.name;
  marks[olm::kOwnerNamespaceLabel] = pair.csv.ns;
  marks[olm::kOwnerKindLabel] = json::string(olm::kOwnerKind);
  marks[olm::kManagedLabel] = "true";
  return {{"apiVersion", StrCat(kRbac, "/v1")},
          {"kind", json::string(kind)},
          {"metadata", {{"name", pair.name}, {"labels", std::move(marks)}}}};
}

json::value RoleOf(const olm::RbacPair& pair) {
  json::object role = Head(pair, pair.role_labels, "ClusterRole");
  olm::PolicyRules rules = pair.rules;
  rules.push_back({{""}, {"namespaces"}, {}, {"get", "list", "watch"}});
  role["rules"] = olm::ToJson(rules);
  return role;
}

json::value BindingOf(const olm::RbacPair& pair) {
  json::object binding = Head(pair, pair.binding_labels, "ClusterRoleBinding");
  json::array subjects;
  for (const olm::Subject& subject : pair.subjects) {
    subjects.push_back({{"kind", subject.kind}, {"namespace", subject.ns}, {"name", subject.name}});
  }
  binding["subjects"] = std::move(subjects);
  binding["roleRef"] = {{"apiGroup", kRbac}, {"kind", "ClusterRole"}, {"name", pair.name}};
  return binding;
}

}  // namespace

Task<std::vector<LiftedWrite>> MissingLifted(kube::Client& client, const std::string& source,
                                             const std::vector<olm::RbacPair>& pairs, bool lift) {
  std::vector<LiftedWrite> writes;
  if (pairs.empty()) co_return writes;
  const std::vector<kube::GroupVersionResource> kinds = {kClusterRoles, kClusterRoleBindings};
  for (const kube::GroupVersionResource& gvr : kinds) {
    Found found;
    CO_RETURN_IF_ERROR(co_await ReadOwned(client, gvr, source, found));
    const bool is_role = gvr == kClusterRoles;
    for (const olm::RbacPair& pair : pairs) {
      const auto there = found.find(pair.name);
      const bool is_there = there != found.end() && olm::OwnerOf(there->second.labels) == pair.csv;
      if (is_there == lift) continue;
      LiftedWrite write{gvr, pair.csv, pair.name, nullptr, "", ""};
      if (lift) {
        write.object = is_role ? RoleOf(pair) : BindingOf(pair);
      } else if (there->second.deleting()) {
        continue;
      } else {
        write.uid = there->second.uid;
        write.resource_version = there->second.resource_version;
      }
      writes.push_back(std::move(write));
    }
  }
  if (!lift) std::reverse(writes.begin(), writes.end());
  co_return writes;
}

Task<bool> WriteLifted(kube::Client& client, const LiftedWrite& write, kube::SendCheck may_send) {
  const kube::NamespacedName name = {"", write.name};
  if (write.object.is_null()) {
    kube::DeleteOptions options;
    options.uid = write.uid;
    options.resource_version = write.resource_version;
    options.may_send = std::move(may_send);
    const absl::Status deleted = (co_await client.Delete(write.gvr, name, options)).status();
    if (!deleted.ok() && !kube::IsOvertaken(deleted)) co_return deleted;
    co_return true;
  }
  kube::WriteOptions options;
  options.field_manager = kManager;
  options.may_send = std::move(may_send);
  const absl::Status created =
      (co_await client.Create(write.gvr, "", write.object, options)).status();
  if (!kube::IsAlreadyExists(created)) {
    CO_RETURN_IF_ERROR(created);
    co_return true;
  }
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(write.gvr, name);
  if (kube::IsNotFound(raw.status(), write.name)) co_return true;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
  const std::optional<kube::NamespacedName> owner = olm::OwnerOf(facts.labels);
  co_return owner == write.csv;
}

}  // namespace steward::controllers
