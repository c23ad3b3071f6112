#include "payload/rights.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/access_review.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "payload/brought_kinds.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

constexpr size_t kWidth = 8;
constexpr size_t kMaxNamed = 64;
constexpr size_t kMaxGiven = 1000;  // the number of rights of one role that are checked
const kube::GroupVersionResource kReviews = {"authorization.k8s.io", "v1",
                                             "selfsubjectaccessreviews"};

// A right to one object, to all objects of a resource (without namespace and name), or to a path.
struct Right {
  std::string verb;
  kube::GroupVersionResource gvr;
  std::string ns;
  std::string name;
  std::string subresource;
  std::string path;  // "" = the right is to a resource

  std::string ToString() const {
    if (!path.empty()) return StrCat(verb, " ", path);
    const std::string in = ns.empty() ? "" : StrCat(" in namespace \"", ns, "\"");
    return StrCat(verb, " ", gvr.GroupResource(), subresource.empty() ? "" : "/", subresource,
                  name.empty() ? "" : StrCat(" \"", name, "\""), in);
  }
  auto operator<=>(const Right&) const = default;
};

json::object SpecOf(const Right& right) {
  if (!right.path.empty()) {
    return {{"nonResourceAttributes", {{"verb", right.verb}, {"path", right.path}}}};
  }
  kube::ResourceAccess access;
  access.verb = right.verb;
  access.group = right.gvr.group;
  access.version = right.gvr.version;
  access.resource = right.gvr.resource;
  access.subresource = right.subresource;
  access.ns = right.ns;
  access.name = right.name;
  return {{"resourceAttributes", kube::ResourceAttributes(access)}};
}

Task<bool> IsAllowed(kube::Client& client, Right right) {
  const json::value review = {{"apiVersion", "authorization.k8s.io/v1"},
                              {"kind", "SelfSubjectAccessReview"},
                              {"spec", SpecOf(right)}};
  const kube::WriteOptions options;
  CO_ASSIGN_OR_RETURN(const json::value answer,
                      co_await client.Create(kReviews, "", review, options));
  const json::object* status =
      answer.is_object() ? ObjectAt(answer.get_object(), "status") : nullptr;
  if (status == nullptr) co_return absl::DataLossError("the review of a right has no answer");
  co_return BoolAt(*status, "allowed");
}

// Returns those of `rights` that are denied. Several are checked at the same time.
Task<std::set<Right>> Denied(kube::Client& client, std::set<Right> rights) {
  const std::vector<Right> all(rights.begin(), rights.end());
  std::set<Right> denied;
  absl::Status failure;
  co_await ForEachInFlight(all.size(), kWidth, [&](size_t i) -> VoidTask {
    if (!failure.ok()) co_return;
    const absl::StatusOr<bool> allowed = co_await IsAllowed(client, all[i]);
    if (!allowed.ok()) {
      failure = allowed.status();
    } else if (!*allowed) {
      denied.insert(all[i]);
    }
  });
  CO_RETURN_IF_ERROR(failure);
  co_return denied;
}

std::vector<std::string> VerbsFor(const olm::PayloadManifest& manifest) {
  if (manifest.deletes) return {"get", "delete"};
  if (manifest.create_only) return {"get", "create"};
  return {"get", "create", "patch"};
}

std::vector<std::string> TextsAt(const json::object& rule, std::string_view key) {
  std::vector<std::string> texts;
  const json::array* list = ArrayAt(rule, key);
  if (list == nullptr) return texts;
  for (const json::value& each : *list) {
    if (each.is_string()) texts.emplace_back(View(each.get_string()));
  }
  return texts;
}

void AddRightsOf(const json::object& rule, const std::string& ns, std::set<Right>& rights) {
  const std::vector<std::string> verbs = TextsAt(rule, "verbs");
  std::vector<std::string> names = TextsAt(rule, "resourceNames");
  if (names.empty()) names.emplace_back();
  for (const std::string& verb : verbs) {
    for (const std::string& path : TextsAt(rule, "nonResourceURLs")) {
      rights.insert({verb, {}, "", "", "", path});
    }
    for (const std::string& group : TextsAt(rule, "apiGroups")) {
      for (const std::string& resource : TextsAt(rule, "resources")) {
        const size_t slash = resource.find('/');
        const std::string sub = slash == std::string::npos ? "" : resource.substr(slash + 1);
        for (const std::string& name : names) {
          if (rights.size() > kMaxGiven) return;
          rights.insert({verb, {group, "*", resource.substr(0, slash)}, ns, name, sub, ""});
        }
      }
    }
  }
}

// Returns the rights that a role grants in namespace `ns`; "" = in all namespaces, and to
// cluster-scoped objects.
std::set<Right> RightsGivenBy(const json::object& role, const std::string& ns) {
  std::set<Right> rights;
  if (const json::array* rules = ArrayAt(role, "rules")) {
    for (const json::value& rule : *rules) {
      if (rule.is_object()) AddRightsOf(rule.get_object(), ns, rights);
    }
  }
  // An aggregated role grants whatever other roles add, so its rights are not bounded.
  if (ObjectAt(role, "aggregationRule") != nullptr) {
    rights.insert({"*", {"*", "*", "*"}, "", "", "", ""});
    rights.insert({"*", {}, "", "", "", "*"});
  }
  return rights;
}

bool IsRbac(const olm::PayloadManifest& manifest) {
  return !manifest.deletes && manifest.identity.group == "rbac.authorization.k8s.io";
}
bool IsRole(const olm::PayloadManifest& manifest) {
  return IsRbac(manifest) &&
         (manifest.identity.kind == "Role" || manifest.identity.kind == "ClusterRole");
}
bool IsBinding(const olm::PayloadManifest& manifest) {
  return IsRbac(manifest) && (manifest.identity.kind == "RoleBinding" ||
                              manifest.identity.kind == "ClusterRoleBinding");
}

// Checks the rights that roles and bindings grant, which a user may only grant if he has them.
class GivenRights {
 public:
  // REQUIRES: the references outlive this object.
  GivenRights(kube::Client& client, const std::vector<olm::PayloadManifest>& manifests)
      : client_(client) {
    for (const olm::PayloadManifest& each : manifests) {
      if (IsRole(each)) roles_[each.identity] = &each;
    }
  }

  // Returns the right that allows to apply the role or binding whatever it grants. Bindings in one
  // namespace to the same role need the same right.
  static Right ShortcutFor(const olm::PayloadManifest& manifest) {
    const olm::PayloadIdentity role = RoleOf(manifest);
    return {IsRole(manifest) ? "escalate" : "bind",
            ResourceOf(role),
            manifest.identity.ns,
            role.name,
            "",
            ""};
  }

  // Returns the first right that the manifest grants and the user lacks; nullopt = none.
  Task<std::optional<std::string>> Lacking(const olm::PayloadManifest& manifest) {
    const olm::PayloadIdentity identity = RoleOf(manifest);
    json::object role;
    const auto own = roles_.find(identity);
    if (own != roles_.end()) {
      role = own->second->object;
    } else {
      const kube::NamespacedName name = {identity.ns, identity.name};
      const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(ResourceOf(identity), name);
      if (!raw.ok()) {
        if (!kube::IsAnswer(raw.status()) || kube::IsTransient(raw.status())) {
          co_return raw.status();
        }
        co_return StrCat("the rights of ", identity.ToString(), ", which cannot be read");
      }
      CO_ASSIGN_OR_RETURN(const json::value value, ParseJson(raw->json));
      if (value.is_object()) role = value.get_object();
    }
    CO_ASSIGN_OR_RETURN(const std::set<Right> denied,
                        co_await Denied(client_, RightsGivenBy(role, manifest.identity.ns)));
    if (denied.empty()) co_return std::nullopt;
    co_return denied.begin()->ToString();
  }

 private:
  static olm::PayloadIdentity RoleOf(const olm::PayloadManifest& manifest) {
    if (IsRole(manifest)) return manifest.identity;
    olm::PayloadIdentity role = {manifest.identity.group, "ClusterRole", "", ""};
    const json::object* ref = ObjectAt(manifest.object, "roleRef");
    if (ref == nullptr) return role;
    role.name = StringAt(*ref, "name");
    if (StringAt(*ref, "kind") == "Role") {
      role.kind = "Role";
      role.ns = manifest.identity.ns;
    }
    return role;
  }
  static kube::GroupVersionResource ResourceOf(const olm::PayloadIdentity& role) {
    return {role.group, "v1", role.kind == "Role" ? "roles" : "clusterroles"};
  }

  kube::Client& client_;
  std::map<olm::PayloadIdentity, const olm::PayloadManifest*> roles_;
};

}  // namespace

Task<std::vector<std::string>> FindMissingRights(kube::Client& client, kube::RestMapper& mapper,
                                                 const std::vector<olm::PayloadManifest>& manifests,
                                                 bool deletes) {
  const BroughtKinds brought = BroughtBy(manifests);
  std::set<Right> needed;
  std::map<Right, const olm::PayloadManifest*> shortcuts;
  for (const olm::PayloadManifest& each : manifests) {
    if (each.deletes && !deletes) continue;
    kube::GroupVersionKind gvk = each.gvk;
    // Deletions use the identity and version as they are stored in the cluster.
    if (each.deletes) gvk = {each.identity.group, each.StoredVersion(), each.identity.kind};
    absl::StatusOr<std::optional<kube::RestMapping>> found;
    if (!gvk.version.empty()) {
      found = co_await mapper.Find(gvk);
    } else {
      found = co_await mapper.FindAny(gvk.group, gvk.kind);
    }
    // An unavailable API only holds up its own objects, when their turn comes.
    if (!found.ok()) continue;
    std::optional<kube::RestMapping> mapping = *std::move(found);
    const auto own = brought.find({gvk.group, gvk.kind});
    if (!mapping && own != brought.end()) mapping = own->second.mapping;
    if (!mapping) continue;
    for (std::string& verb : VerbsFor(each)) {
      // A right to create cannot be limited to a name.
      const bool creates = verb == "create";
      needed.insert({std::move(verb), mapping->gvr, mapping->namespaced ? each.identity.ns : "",
                     creates ? "" : each.identity.name, "", ""});
    }
    if (IsRole(each) || IsBinding(each)) shortcuts[GivenRights::ShortcutFor(each)] = &each;
  }
  // Rights to a whole resource are checked first, so that its single objects need no check.
  std::set<Right> wide;
  for (const Right& each : needed) wide.insert({each.verb, each.gvr, "", "", "", ""});
  for (const auto& [each, manifest] : shortcuts) wide.insert({each.verb, each.gvr, "", "", "", ""});
  absl::StatusOr<std::set<Right>> lacking = co_await Denied(client, std::move(wide));
  std::vector<std::string> missing;
  if (kube::SaysNotFound(lacking.status())) co_return missing;
  CO_RETURN_IF_ERROR(lacking.status());
  const auto is_lacking = [&lacking](const Right& right) {
    return lacking->contains({right.verb, right.gvr, "", "", "", ""});
  };
  std::set<Right> narrow;
  for (const Right& each : needed) {
    if (is_lacking(each)) narrow.insert(each);
  }
  for (const auto& [each, manifest] : shortcuts) {
    if (is_lacking(each)) narrow.insert(each);
  }
  CO_ASSIGN_OR_RETURN(const std::set<Right> denied, co_await Denied(client, std::move(narrow)));
  GivenRights given(client, manifests);
  for (const Right& each : denied) {
    std::string text = each.ToString();
    if (const auto shortcut = shortcuts.find(each); shortcut != shortcuts.end()) {
      CO_ASSIGN_OR_RETURN(const std::optional<std::string> first,
                          co_await given.Lacking(*shortcut->second));
      if (!first) continue;
      StrAppend(&text, ", or ", *first);
    }
    missing.push_back(std::move(text));
  }
  if (missing.size() > kMaxNamed) {
    const size_t more = missing.size() - kMaxNamed;
    missing.resize(kMaxNamed);
    missing.push_back(StrCat("and ", more, " more"));
  }
  co_return missing;
}

}  // namespace steward::payload
