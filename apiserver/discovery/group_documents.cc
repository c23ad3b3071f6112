#include "apiserver/discovery/group_documents.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <compare>
#include <cstdint>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

json::array Strings(const std::vector<std::string>& strings) {
  json::array array;
  for (const std::string& s : strings) array.emplace_back(s);
  return array;
}

std::string GroupVersionName(const ServedGroup& group, const ServedVersion& version) {
  return kube::GroupVersionKind{group.name, version.version, ""}.ApiVersion();
}

json::object GroupVersion(const ServedGroup& group, const ServedVersion& version) {
  return {{"groupVersion", GroupVersionName(group, version)}, {"version", version.version}};
}

// The rank of a version: "v2beta1" has the stability 1, the major number 2 and the minor number 1.
// Greater = preferred.
struct VersionRank {
  int stability = -1;  // 2 = stable, 1 = beta, 0 = alpha, -1 = another form
  uint64_t major = 0;
  uint64_t minor = 0;
  auto operator<=>(const VersionRank&) const = default;
};

// Takes a positive decimal number without leading zeros from the front; 0 = there is none.
uint64_t TakeNumber(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.starts_with('0')) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

VersionRank RankOf(std::string_view version) {
  if (!version.starts_with('v')) return {};
  version.remove_prefix(1);
  VersionRank rank;
  rank.major = TakeNumber(version);
  if (rank.major == 0) return {};
  if (version.empty()) {
    rank.stability = 2;
    return rank;
  }
  const bool beta = version.starts_with("beta");
  if (!beta && !version.starts_with("alpha")) return {};
  version.remove_prefix(beta ? 4 : 5);
  rank.stability = beta ? 1 : 0;
  rank.minor = TakeNumber(version);
  if (rank.minor == 0 || !version.empty()) return {};
  return rank;
}

bool IsPreferred(const ServedVersion& a, const ServedVersion& b) {
  const VersionRank rank_a = RankOf(a.version), rank_b = RankOf(b.version);
  if (rank_a.stability < 0 && rank_b.stability < 0) return a.version < b.version;
  return rank_a > rank_b;
}

// Adds the members of an APIGroup, which are the same by itself and within a list.
void AddGroup(const ServedGroup& group, json::object& out) {
  json::array versions;
  for (const ServedVersion& version : group.versions) {
    versions.push_back(GroupVersion(group, version));
  }
  out["name"] = group.name;
  out["versions"] = std::move(versions);
  out["preferredVersion"] = GroupVersion(group, group.versions.front());
}

// The kind of the subresource's answers.
kube::GroupVersionKind KindOf(const rest::Subresource& subresource, kube::GroupVersionKind own) {
  if (!subresource.kind.empty()) own.kind = subresource.kind;
  return own;
}

void AddListedResource(const rest::Resource& resource, json::array& out) {
  const rest::Descriptor& descriptor = resource.descriptor;
  json::object entry{{"name", descriptor.plural},
                     {"singularName", descriptor.singular},
                     {"namespaced", descriptor.namespaced},
                     {"kind", descriptor.gvk.kind},
                     {"verbs", Strings(resource.Verbs())}};
  if (!descriptor.short_names.empty()) entry["shortNames"] = Strings(descriptor.short_names);
  if (!descriptor.categories.empty()) entry["categories"] = Strings(descriptor.categories);
  out.push_back(std::move(entry));
  for (const rest::Subresource& subresource : resource.subresources) {
    out.push_back(json::object{{"name", StrCat(descriptor.plural, "/", subresource.name)},
                               {"singularName", ""},
                               {"namespaced", descriptor.namespaced},
                               {"kind", KindOf(subresource, descriptor.gvk).kind},
                               {"verbs", Strings(subresource.Verbs())}});
  }
}

json::object ResponseKind(const kube::GroupVersionKind& gvk) {
  return {{"group", gvk.group}, {"version", gvk.version}, {"kind", gvk.kind}};
}

json::object DiscoveredResource(const rest::Resource& resource) {
  const rest::Descriptor& descriptor = resource.descriptor;
  json::object entry{{"resource", descriptor.plural},
                     {"responseKind", ResponseKind(descriptor.gvk)},
                     {"scope", descriptor.namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", descriptor.singular},
                     {"verbs", Strings(resource.Verbs())}};
  if (!descriptor.short_names.empty()) entry["shortNames"] = Strings(descriptor.short_names);
  if (!descriptor.categories.empty()) entry["categories"] = Strings(descriptor.categories);
  json::array subresources;
  for (const rest::Subresource& subresource : resource.subresources) {
    subresources.push_back(
        json::object{{"subresource", subresource.name},
                     {"responseKind", ResponseKind(KindOf(subresource, descriptor.gvk))},
                     {"verbs", Strings(subresource.Verbs())}});
  }
  if (!subresources.empty()) entry["subresources"] = std::move(subresources);
  return entry;
}

json::object DiscoveredGroup(const ServedGroup& group) {
  json::array versions;
  for (const ServedVersion& version : group.versions) {
    json::array resources;
    for (const rest::Resource* resource : version.resources) {
      resources.push_back(DiscoveredResource(*resource));
    }
    versions.push_back(json::object{{"version", version.version},
                                    {"resources", std::move(resources)},
                                    {"freshness", "Current"}});
  }
  json::object metadata;
  if (!group.name.empty()) metadata["name"] = group.name;
  metadata["creationTimestamp"] = nullptr;
  return {{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

}  // namespace

std::vector<ServedGroup> GroupResources(const std::vector<rest::Resource>& resources) {
  std::vector<ServedGroup> groups;
  for (const rest::Resource& resource : resources) {
    const kube::GroupVersionKind& gvk = resource.descriptor.gvk;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const ServedGroup& g) { return g.name == gvk.group; });
    if (group == groups.end()) group = groups.insert(groups.end(), {gvk.group, {}});
    auto& versions = group->versions;
    auto version = std::find_if(versions.begin(), versions.end(),
                                [&](const ServedVersion& v) { return v.version == gvk.version; });
    if (version == versions.end()) version = versions.insert(versions.end(), {gvk.version, {}});
    version->resources.push_back(&resource);
  }
  for (ServedGroup& group : groups) {
    std::stable_sort(group.versions.begin(), group.versions.end(), IsPreferred);
  }
  return groups;
}

std::string ApiPath(std::string_view group, std::string_view version) {
  return group.empty() ? StrCat("api/", version) : StrCat("apis/", group, "/", version);
}

std::string ApiVersions(const ServedGroup& core) {
  json::array versions;
  for (const ServedVersion& version : core.versions) versions.emplace_back(version.version);
  return Serialize(json::object{{"kind", "APIVersions"},
                                {"versions", std::move(versions)},
                                {"serverAddressByClientCIDRs", json::array()}});
}

std::string ApiGroupList(const std::vector<ServedGroup>& groups) {
  json::array listed;
  for (const ServedGroup& group : groups) {
    AddGroup(group, listed.emplace_back(nullptr).emplace_object());
  }
  return Serialize(
      json::object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(listed)}});
}

std::string ApiGroup(const ServedGroup& group) {
  json::object out{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  AddGroup(group, out);
  return Serialize(out);
}

std::string ApiResourceList(const ServedGroup& group, const ServedVersion& version) {
  json::array resources;
  for (const rest::Resource* resource : version.resources) AddListedResource(*resource, resources);
  return Serialize(json::object{{"kind", "APIResourceList"},
                                {"apiVersion", "v1"},
                                {"groupVersion", GroupVersionName(group, version)},
                                {"resources", std::move(resources)}});
}

std::string ApiGroupDiscoveryList(const std::vector<ServedGroup>& groups,
                                  std::string_view version) {
  json::array items;
  for (const ServedGroup& group : groups) items.push_back(DiscoveredGroup(group));
  return Serialize(json::object{{"kind", "APIGroupDiscoveryList"},
                                {"apiVersion", StrCat("apidiscovery.k8s.io/", version)},
                                {"metadata", json::object()},
                                {"items", std::move(items)}});
}

}  // namespace steward::discovery
