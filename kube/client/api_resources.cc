#include "kube/client/api_resources.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr size_t kMaxDepth = 16;

absl::Status Unreadable(std::string_view why) {
  return absl::DataLossError(StrCat("the server's answer is no discovery document: ", why));
}

absl::StatusOr<json::object> ParseDocument(std::string_view json) {
  absl::StatusOr<json::value> document =
      ParseJson(json, {.max_size = kMaxDiscoveryBytes, .max_depth = kMaxDepth});
  if (absl::IsResourceExhausted(document.status())) return document.status();
  if (!document.ok()) return Unreadable(ToStd(document.status().message()));
  if (!document->is_object()) return Unreadable("it is no object");
  return std::move(document->get_object());
}

// True if the entry is of `gv`: a kind may name a group or version of its own.
bool IsOf(const GroupVersion& gv, const json::object& entry) {
  const std::string_view group = StringAt(entry, "group");
  const std::string_view version = StringAt(entry, "version");
  return (group.empty() || group == gv.group) && (version.empty() || version == gv.version);
}

std::vector<std::string> VerbsOf(const json::object& entry) {
  std::vector<std::string> verbs;
  const json::array* listed = ArrayAt(entry, "verbs");
  if (listed == nullptr) return verbs;
  for (const json::value& verb : *listed) {
    if (verb.is_string()) verbs.emplace_back(View(verb.get_string()));
  }
  return verbs;
}

// Adds the versions of a group, the preferred one first.
absl::Status AddVersions(const json::object& group, std::vector<GroupVersion>& out) {
  const std::string_view name = StringAt(group, "name");
  const json::array* versions = ArrayAt(group, "versions");
  if (name.empty() || versions == nullptr) {
    return Unreadable("a group has no name or no versions");
  }
  const json::object* preferred = ObjectAt(group, "preferredVersion");
  const std::string first(preferred == nullptr ? "" : StringAt(*preferred, "version"));
  const size_t begin = out.size();
  for (const json::value& each : *versions) {
    const json::object* entry = each.if_object();
    if (entry == nullptr || StringAt(*entry, "version").empty()) {
      return Unreadable("a version has no name");
    }
    out.push_back({std::string(name), std::string(StringAt(*entry, "version"))});
  }
  std::stable_partition(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                        [&first](const GroupVersion& gv) { return gv.version == first; });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ApiResource>> ParseApiResources(std::string_view json,
                                                           const GroupVersion& gv) {
  ASSIGN_OR_RETURN(const json::object list, ParseDocument(json));
  if (StringAt(list, "kind") != "APIResourceList") {
    return Unreadable("its kind is not APIResourceList");
  }
  if (StringAt(list, "groupVersion") != gv.ApiVersion()) {
    return Unreadable(StrCat("its group version is not ", gv.ApiVersion()));
  }
  const json::value* resources = list.if_contains("resources");
  std::vector<ApiResource> out;
  if (resources != nullptr && resources->is_null()) return out;
  if (resources == nullptr || !resources->is_array()) return Unreadable("it has no resources");
  if (resources->get_array().size() > kMaxApiResources) {
    return absl::ResourceExhaustedError(
        StrCat("the server lists more than ", kMaxApiResources, " resources of one version"));
  }
  for (const json::value& element : resources->get_array()) {
    const json::object* entry = element.if_object();
    if (entry == nullptr) return Unreadable("a resource is no object");
    const std::string_view name = StringAt(*entry, "name");
    const std::string_view kind = StringAt(*entry, "kind");
    if (name.empty() || kind.empty()) return Unreadable("a resource has no name or no kind");
    if (name.find('/') != std::string_view::npos || !IsOf(gv, *entry)) continue;
    out.push_back(
        {std::string(kind), std::string(name), BoolAt(*entry, "namespaced"), VerbsOf(*entry)});
  }
  return out;
}

absl::StatusOr<std::vector<GroupVersion>> ParseApiGroups(std::string_view json) {
  ASSIGN_OR_RETURN(const json::object document, ParseDocument(json));
  const std::string_view kind = StringAt(document, "kind");
  std::vector<GroupVersion> out;
  if (kind == "APIVersions") {
    const json::array* versions = ArrayAt(document, "versions");
    if (versions == nullptr) return Unreadable("it has no versions");
    for (const json::value& version : *versions) {
      if (!version.is_string()) return Unreadable("a version is no text");
      out.push_back({"", std::string(View(version.get_string()))});
    }
    return out;
  }
  if (kind != "APIGroupList") return Unreadable("its kind is not APIGroupList");
  const json::array* groups = ArrayAt(document, "groups");
  if (groups == nullptr) return Unreadable("it has no groups");
  for (const json::value& group : *groups) {
    if (!group.is_object()) return Unreadable("a group is no object");
    RETURN_IF_ERROR(AddVersions(group.get_object(), out));
    if (out.size() > kMaxApiGroups) {
      return absl::ResourceExhaustedError(
          StrCat("the server lists more than ", kMaxApiGroups, " versions of groups"));
    }
  }
  return out;
}

}  // namespace steward::kube
