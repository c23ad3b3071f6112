#include "kube/client/api_resources.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr size_t kMaxDepth = 16;

absl::Status Unreadable(std::string_view why) {
  return absl::DataLossError(StrCat("the server's answer is not a list of resources: ", why));
}

// Of the kind's own group or version: where they are given, they may be others.
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

}  // namespace

absl::StatusOr<std::vector<ApiResource>> ParseApiResources(std::string_view json,
                                                           const GroupVersion& gv) {
  const absl::StatusOr<json::value> document =
      ParseJson(json, {.max_size = kMaxDiscoveryBytes, .max_depth = kMaxDepth});
  if (absl::IsResourceExhausted(document.status())) return document.status();
  if (!document.ok()) return Unreadable(ToStd(document.status().message()));
  const json::object* list = document->if_object();
  if (list == nullptr || StringAt(*list, "kind") != "APIResourceList") {
    return Unreadable("its kind is not APIResourceList");
  }
  if (StringAt(*list, "groupVersion") != gv.ApiVersion()) {
    return Unreadable(StrCat("its group version is not ", gv.ApiVersion()));
  }
  const json::value* resources = list->if_contains("resources");
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

}  // namespace steward::kube
