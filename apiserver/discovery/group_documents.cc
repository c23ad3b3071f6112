#include "apiserver/discovery/group_documents.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

json::array Strings(const std::vector<std::string>& strings) {
  json::array array;
  for (const std::string& s : strings) array.emplace_back(s);
  return array;
}

std::vector<std::string> VerbsOf(const rest::Subresource& subresource) {
  if (subresource.get == nullptr) return {};
  return {"get"};
}

json::object GroupVersion(const ServedGroup& group, const ServedVersion& version) {
  return {{"groupVersion", StrCat(group.name, "/", version.version)}, {"version", version.version}};
}

// Adds what an APIGroup says, by itself or within a list.
void AddGroup(const ServedGroup& group, json::object& out) {
  json::array versions;
  for (const ServedVersion& version : group.versions) {
    versions.push_back(GroupVersion(group, version));
  }
  out["name"] = group.name;
  out["versions"] = std::move(versions);
  out["preferredVersion"] = GroupVersion(group, group.versions.front());
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
                               {"kind", descriptor.gvk.kind},
                               {"verbs", Strings(VerbsOf(subresource))}});
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
    subresources.push_back(json::object{{"subresource", subresource.name},
                                        {"responseKind", ResponseKind(descriptor.gvk)},
                                        {"verbs", Strings(VerbsOf(subresource))}});
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
  return {{"metadata", {{"name", group.name}, {"creationTimestamp", nullptr}}},
          {"versions", std::move(versions)}};
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
  return groups;
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
                                {"groupVersion", StrCat(group.name, "/", version.version)},
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
