#include "controllers/copied_rbac/lifted_rbac.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/copied_rbac/policy_rule.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/object_facts.h"
#include "olm/plan/step_object.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-copied-rbac";
constexpr char kRbac[] = "rbac.authorization.k8s.io";
constexpr char kLifted[] = "steward.operatorframework.io/lifted";
constexpr int64_t kPage = 500;
constexpr size_t kPageBytes = size_t{4} << 20;
const kube::GroupVersionResource kClusterRoles = {kRbac, "v1", "clusterroles"};
const kube::GroupVersionResource kClusterRoleBindings = {kRbac, "v1", "clusterrolebindings"};

using Found = std::map<std::string, olm::StoredRbac>;  // by name

const kube::GroupVersionResource& LiftedTo(olm::RbacKind kind) {
  return kind == olm::RbacKind::kRole ? kClusterRoles : kClusterRoleBindings;
}

// Reads the lifted objects of one kind; `source` "" = from any namespace.
StatusTask ReadLifted(kube::Client& client, olm::RbacKind kind, std::string source, Found& found) {
  kube::ListOptions list;
  list.label_selector = StrCat(kLifted, "=true");
  if (!source.empty()) {
    StrAppend(&list.label_selector, ",", olm::kOwnerNamespaceLabel, "=", source);
  }
  list.limit = kPage;
  list.max_bytes = kPageBytes;
  const kube::GroupVersionResource gvr = LiftedTo(kind);
  co_return co_await kube::VisitAll(
      client, gvr, list, [kind, &found](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::StoredRbac stored, olm::ReadRbac(kind, raw.json));
        stored.object = {};
        const std::string name = stored.facts.key.name;
        found.emplace(name, std::move(stored));
        return absl::OkStatus();
      });
}

bool IsLiftedFor(const olm::ObjectFacts& facts, const kube::NamespacedName& csv) {
  const auto label = facts.labels.find(std::string(kLifted));
  return label != facts.labels.end() && label->second == "true" &&
         olm::OwnerOf(facts.labels) == csv;
}

olm::PolicyRules RulesOf(const olm::RbacPair& pair) {
  olm::PolicyRules rules = pair.rules;
  rules.push_back({{""}, {"namespaces"}, {}, {"get", "list", "watch"}});
  return rules;
}

bool IsRight(const olm::StoredRbac& stored, const olm::RbacPair& pair) {
  if (!IsLiftedFor(stored.facts, pair.csv)) return false;
  if (stored.kind == olm::RbacKind::kRole) return stored.rules == RulesOf(pair);
  return stored.subjects == pair.subjects && stored.role.kind == "ClusterRole" &&
         stored.role.name == pair.name;
}

json::object Head(const olm::RbacPair& pair, std::string_view kind) {
  json::object marks = olm::OwnerLabels(pair.csv);
  marks[olm::kManagedLabel] = "true";
  marks[kLifted] = "true";
  return {{"apiVersion", StrCat(kRbac, "/v1")},
          {"kind", json::string(kind)},
          {"metadata", {{"name", pair.name}, {"labels", std::move(marks)}}}};
}

json::value ObjectOf(const olm::RbacPair& pair, olm::RbacKind kind) {
  if (kind == olm::RbacKind::kRole) {
    json::object role = Head(pair, "ClusterRole");
    role["rules"] = olm::ToJson(RulesOf(pair));
    return role;
  }
  json::object binding = Head(pair, "ClusterRoleBinding");
  json::array subjects;
  for (const olm::Subject& subject : pair.subjects) {
    subjects.push_back({{"kind", subject.kind}, {"namespace", subject.ns}, {"name", subject.name}});
  }
  binding["subjects"] = std::move(subjects);
  binding["roleRef"] = {{"apiGroup", kRbac}, {"kind", "ClusterRole"}, {"name", pair.name}};
  return binding;
}

LiftedWrite DeletionOf(const olm::StoredRbac& stored) {
  LiftedWrite write;
  write.gvr = LiftedTo(stored.kind);
  write.csv = olm::OwnerOf(stored.facts.labels).value_or(kube::NamespacedName());
  write.name = stored.facts.key.name;
  write.uid = stored.facts.uid;
  write.resource_version = stored.facts.resource_version;
  return write;
}

// True if the object of this name exists, was lifted for `csv` and is not being deleted.
Task<bool> IsThere(kube::Client& client, kube::GroupVersionResource gvr, kube::NamespacedName name,
                   kube::NamespacedName csv) {
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(gvr, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return false;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
  co_return !facts.deleting() && IsLiftedFor(facts, csv);
}

void Append(std::vector<LiftedWrite> some, std::vector<LiftedWrite>& all) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

}  // namespace

Task<LiftedPlan> PlanLifted(kube::Client& client, const std::string& source,
                            const std::vector<olm::RbacPair>& pairs, bool lift,
                            const std::set<std::string>& left) {
  Found roles;
  Found bindings;
  CO_RETURN_IF_ERROR(co_await ReadLifted(client, olm::RbacKind::kRole, source, roles));
  CO_RETURN_IF_ERROR(co_await ReadLifted(client, olm::RbacKind::kRoleBinding, source, bindings));
  std::map<std::string_view, const olm::RbacPair*> wanted;
  for (const olm::RbacPair& pair : pairs) {
    if (lift && !left.contains(pair.name)) wanted[pair.name] = &pair;
  }
  LiftedPlan plan;
  const auto remove = [&plan, &wanted, &left, lift](const Found& found) {
    std::vector<LiftedWrite> writes;
    for (const auto& [name, stored] : found) {
      if (lift && left.contains(name)) continue;
      const auto pair = wanted.find(name);
      const bool is_wanted = pair != wanted.end();
      if (is_wanted && !stored.facts.deleting() && IsRight(stored, *pair->second)) continue;
      plan.waits |= is_wanted;
      if (!stored.facts.deleting()) writes.push_back(DeletionOf(stored));
    }
    return writes;
  };
  const auto add = [&wanted](const Found& found, olm::RbacKind kind) {
    std::vector<LiftedWrite> writes;
    for (const auto& [name, pair] : wanted) {
      if (found.contains(pair->name)) continue;
      LiftedWrite write;
      write.gvr = LiftedTo(kind);
      write.csv = pair->csv;
      write.name = pair->name;
      write.object = ObjectOf(*pair, kind);
      write.pair = pair;
      writes.push_back(std::move(write));
    }
    return writes;
  };
  Append(remove(bindings), plan.writes);
  Append(remove(roles), plan.writes);
  Append(add(roles, olm::RbacKind::kRole), plan.writes);
  Append(add(bindings, olm::RbacKind::kRoleBinding), plan.writes);
  co_return plan;
}

Task<std::vector<LiftedWrite>> OrphanedLifted(kube::Client& client) {
  Found roles;
  Found bindings;
  CO_RETURN_IF_ERROR(co_await ReadLifted(client, olm::RbacKind::kRole, "", roles));
  CO_RETURN_IF_ERROR(co_await ReadLifted(client, olm::RbacKind::kRoleBinding, "", bindings));
  std::map<kube::NamespacedName, bool> gone;
  std::vector<LiftedWrite> writes;
  const std::vector<const Found*> all = {&bindings, &roles};
  for (const Found* found : all) {
    for (const auto& [name, stored] : *found) {
      const std::optional<kube::NamespacedName> csv = olm::OwnerOf(stored.facts.labels);
      if (!csv || stored.facts.deleting()) continue;
      if (!gone.contains(*csv)) {
        const absl::StatusOr<kube::RawObject> raw = co_await client.Get(olm::kCsvs, *csv);
        const bool absent = kube::IsNotFound(raw.status(), csv->name);
        if (!absent) {
          CO_RETURN_IF_ERROR(raw.status());
        }
        gone[*csv] = absent;
      }
      if (gone[*csv]) writes.push_back(DeletionOf(stored));
    }
  }
  co_return writes;
}

Task<PutResult> WriteLifted(kube::Client& client, const LiftedWrite& write,
                            kube::SendCheck may_send) {
  const kube::NamespacedName name = {"", write.name};
  if (write.object.is_null()) {
    kube::DeleteOptions options;
    options.uid = write.uid;
    options.resource_version = write.resource_version;
    options.may_send = std::move(may_send);
    const absl::Status deleted = (co_await client.Delete(write.gvr, name, options)).status();
    if (!deleted.ok() && !kube::IsOvertaken(deleted)) co_return deleted;
    co_return PutResult::kDone;
  }
  if (write.gvr == kClusterRoleBindings) {
    // Bind only a ClusterRole that was lifted, whatever else has the name.
    CO_ASSIGN_OR_RETURN(const bool lifted,
                        co_await IsThere(client, kClusterRoles, name, write.csv));
    if (!lifted) co_return PutResult::kForeignRole;
  }
  kube::WriteOptions options;
  options.field_manager = kManager;
  options.may_send = std::move(may_send);
  const absl::StatusOr<json::value> created =
      co_await client.Create(write.gvr, "", write.object, options);
  if (!kube::IsAlreadyExists(created.status())) {
    CO_RETURN_IF_ERROR(created.status());
    const olm::RbacKind kind =
        write.gvr == kClusterRoles ? olm::RbacKind::kRole : olm::RbacKind::kRoleBinding;
    const absl::StatusOr<olm::StoredRbac> made = olm::ReadRbac(kind, Serialize(*created));
    co_return made.ok() && IsRight(*made, *write.pair) ? PutResult::kDone : PutResult::kNotObeyed;
  }
  CO_ASSIGN_OR_RETURN(const bool there, co_await IsThere(client, write.gvr, name, write.csv));
  co_return there ? PutResult::kDone : PutResult::kForeignRole;
}

}  // namespace steward::controllers
