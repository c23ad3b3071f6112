#include "plugin/removal/installation.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/resources.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using kube::GroupVersionResource;
using olm::ObjectFacts;

constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";
constexpr std::string_view kComponent = "app.kubernetes.io/component";
constexpr std::string_view kApiServer = "apiserver";
constexpr char kOwnSelector[] = "app.kubernetes.io/part-of=steward";
constexpr char kPodSelector[] = "app.kubernetes.io/name=steward";
constexpr char kRolesSelector[] = "steward.operators.coreos.com/aggregate-to-cleanup";
constexpr char kPayloadRolesSelector[] = "steward.operators.coreos.com/aggregate-to-payload";
constexpr int64_t kPage = 500;
const GroupVersionResource kClusterRoleBindings = {"rbac.authorization.k8s.io", "v1",
                                                   "clusterrolebindings"};
const GroupVersionResource kPods = {"", "v1", "pods"};

// The kinds in deploy/ outside of Steward's namespace, in the order of deletion: first those that
// users see; bindings before the objects that they bind.
const std::vector<GroupVersionResource>& OwnKinds() {
  static const auto& kinds = *new std::vector<GroupVersionResource>{
      {"console.openshift.io", "v1", "consoleplugins"},
      kPolicyBindings,
      kPolicies,
      {"flowcontrol.apiserver.k8s.io", "v1", "flowschemas"},
      {"flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations"},
      kube::kRoleBindings,
      {"rbac.authorization.k8s.io", "v1", "roles"},
      kClusterRoleBindings,
      kube::kClusterRoles,
      {"scheduling.k8s.io", "v1", "priorityclasses"},
  };
  return kinds;
}

// The kinds whose objects would be lost with the namespace.
const std::vector<GroupVersionResource>& PreciousKinds() {
  static const auto& kinds = *new std::vector<GroupVersionResource>{
      kube::kDeployments,      {"apps", "v1", "statefulsets"}, {"apps", "v1", "daemonsets"},
      {"batch", "v1", "jobs"}, {"batch", "v1", "cronjobs"},    {"", "v1", "persistentvolumeclaims"},
  };
  return kinds;
}

std::string LabelAt(const ObjectFacts& facts, std::string_view key) {
  const auto found = facts.labels.find(std::string(key));
  return found == facts.labels.end() ? "" : found->second;
}

bool IsOwn(const ObjectFacts& facts) {
  return LabelAt(facts, kPartOf) == "steward" &&
         (facts.key.name == "steward" || facts.key.name.starts_with("steward-"));
}

using FactsVisitor = std::function<void(ObjectFacts)>;

// Visits the facts of each object of a list. A kind that is not served has no objects.
StatusTask ListFacts(kube::Client& client, GroupVersionResource gvr, std::string ns,
                     std::string selector, FactsVisitor visit) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(selector);
  options.limit = kPage;
  options.metadata_only = true;
  const auto decode = [&visit](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
    visit(std::move(facts));
    return absl::OkStatus();
  };
  const absl::Status listed = co_await kube::VisitAll(client, gvr, options, decode);
  if (kube::IsNotServed(listed)) co_return absl::OkStatus();
  if (!listed.ok()) co_return WithContext(StrCat("reading ", gvr.GroupResource()), listed);
  co_return absl::OkStatus();
}

// nullopt = there is no such object.
Task<std::optional<ObjectFacts>> ReadFacts(kube::Client& client, GroupVersionResource gvr,
                                           kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(gvr, name);
  if (kube::IsNotFound(raw.status(), name.name) || kube::IsNotServed(raw.status())) {
    co_return std::optional<ObjectFacts>();
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
  co_return std::optional<ObjectFacts>(std::move(facts));
}

StatusTask ReadDeployments(kube::Client& client, std::vector<FoundDeployment>& found) {
  const auto visit = [&found](const kube::RawObject& raw) -> absl::Status {
    FoundDeployment deployment;
    ASSIGN_OR_RETURN(deployment.facts, olm::DecodeObjectFacts(raw.json));
    if (!IsOwn(deployment.facts) || deployment.facts.key.name == "steward-apiserver") {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const json::value object, ParseObject(raw.json));
    const json::object* spec = ObjectAt(object.get_object(), "spec");
    const json::value* replicas = spec == nullptr ? nullptr : spec->if_contains("replicas");
    if (replicas != nullptr && replicas->is_int64()) deployment.replicas = replicas->get_int64();
    found.push_back(std::move(deployment));
    return absl::OkStatus();
  };
  const absl::Status visited = co_await VisitAll(client, kube::kDeployments, kStewardNamespace,
                                                 /*metadata_only=*/false, visit);
  if (kube::IsNotServed(visited)) co_return absl::OkStatus();
  co_return visited;
}

// Reads the bindings of `gvr` to one of the `roles`, which are Steward's.
StatusTask ReadAddedBindings(kube::Client& client, GroupVersionResource gvr,
                             const std::set<std::string>& roles, std::vector<FoundObject>& found) {
  const auto visit = [&](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
    if (IsOwn(facts)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const json::value object, ParseObject(raw.json));
    const json::object* role = ObjectAt(object.get_object(), "roleRef");
    if (role != nullptr && StringAt(*role, "kind") == "ClusterRole" &&
        roles.contains(std::string(StringAt(*role, "name")))) {
      found.push_back({gvr, std::move(facts)});
    }
    return absl::OkStatus();
  };
  const absl::Status visited = co_await VisitAll(client, gvr, "", /*metadata_only=*/false, visit);
  if (kube::IsNotServed(visited)) co_return absl::OkStatus();
  co_return visited;
}

}  // namespace

std::string FoundObject::ToString() const {
  return StrCat(gvr.GroupResource(), " ", facts.key.ns.empty() ? "" : StrCat(facts.key.ns, "/"),
                facts.key.name);
}

StatusTask ReadCleanups(kube::Client& client, Installation& installation) {
  installation.cleaning.clear();
  installation.opted_in.clear();
  installation.held.clear();
  installation.copies = 0;
  for (const GroupVersionResource& gvr : olm::HeldResources()) {
    const FactsVisitor visit = [&](ObjectFacts facts) {
      if (facts.HasFinalizer(olm::kHoldFinalizer)) {
        installation.held.push_back({gvr, std::move(facts)});
      }
    };
    CO_RETURN_IF_ERROR(co_await ListFacts(client, gvr, "", "", visit));
  }
  const FactsVisitor visit = [&installation](ObjectFacts facts) {
    if (facts.labels.contains(std::string(olm::kCopiedFromLabel))) {
      ++installation.copies;
    } else if (olm::WaitsForCleanup(facts)) {
      installation.cleaning.push_back(std::move(facts));
    } else if (facts.HasFinalizer(olm::kCleanupFinalizer) ||
               facts.HasFinalizer(olm::kLegacyCleanupFinalizer)) {
      installation.opted_in.push_back(std::move(facts));
    }
  };
  co_return co_await ListFacts(client, kCsvs, "", "", visit);
}

Task<std::optional<ObjectFacts>> ReadRegistration(kube::Client& client) {
  const kube::NamespacedName name = {"", kRegistration};
  co_return co_await ReadFacts(client, kube::kApiServices, name);
}

Task<Installation> ReadInstallation(kube::Client& client) {
  Installation found;
  const kube::NamespacedName ns = {"", kStewardNamespace};
  CO_ASSIGN_OR_RETURN(found.ns, co_await ReadFacts(client, kNamespaces, ns));
  CO_ASSIGN_OR_RETURN(found.registration, co_await ReadRegistration(client));
  for (const GroupVersionResource& gvr : OwnKinds()) {
    const FactsVisitor visit = [&](ObjectFacts facts) {
      if (IsOwn(facts) && facts.key.ns != kStewardNamespace) {
        found.objects.push_back({gvr, std::move(facts)});
      }
    };
    CO_RETURN_IF_ERROR(co_await ListFacts(client, gvr, "", kOwnSelector, visit));
  }
  for (const char* selector : {kRolesSelector, kPayloadRolesSelector}) {
    const FactsVisitor visit = [&found](ObjectFacts facts) {
      if (!IsOwn(facts)) found.added_roles.push_back({kube::kClusterRoles, std::move(facts)});
    };
    CO_RETURN_IF_ERROR(co_await ListFacts(client, kube::kClusterRoles, "", selector, visit));
  }
  std::set<std::string> own_roles;
  for (const FoundObject& each : found.objects) {
    if (each.gvr == kube::kClusterRoles) own_roles.insert(each.facts.key.name);
  }
  for (const GroupVersionResource& gvr : {kClusterRoleBindings, kube::kRoleBindings}) {
    CO_RETURN_IF_ERROR(co_await ReadAddedBindings(client, gvr, own_roles, found.added_bindings));
  }
  if (found.ns) {
    CO_RETURN_IF_ERROR(co_await ReadDeployments(client, found.deployments));
    for (const GroupVersionResource& gvr : PreciousKinds()) {
      const FactsVisitor visit = [&](ObjectFacts facts) {
        if (!IsOwn(facts)) found.foreign.push_back({gvr, std::move(facts)});
      };
      CO_RETURN_IF_ERROR(co_await ListFacts(client, gvr, kStewardNamespace, "", visit));
    }
  }
  CO_RETURN_IF_ERROR(co_await ReadCleanups(client, found));
  co_return found;
}

Task<size_t> CountPods(kube::Client& client, bool apiserver) {
  size_t count = 0;
  const FactsVisitor visit = [&count, apiserver](const ObjectFacts& facts) {
    count += (LabelAt(facts, kComponent) == kApiServer) == apiserver ? 1 : 0;
  };
  CO_RETURN_IF_ERROR(co_await ListFacts(client, kPods, kStewardNamespace, kPodSelector, visit));
  co_return count;
}

}  // namespace steward::plugin
