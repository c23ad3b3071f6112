// Names of kinds, resources and objects. Values and pure functions.
#ifndef KUBE_META_NAMES_H_
#define KUBE_META_NAMES_H_

#include <compare>
#include <string>
#include <string_view>

namespace steward::kube {

struct GroupVersion {
  std::string group;  // "" = core
  std::string version;
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  auto operator<=>(const GroupVersion&) const = default;
};

struct GroupVersionKind {
  std::string group;  // "" = core
  std::string version;
  std::string kind;
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  GroupVersion group_version() const { return {group, version}; }
  auto operator<=>(const GroupVersionKind&) const = default;
};

struct GroupVersionResource {
  std::string group;  // "" = core
  std::string version;
  std::string resource;  // plural
  // "widgets.example.com", the form of resources in error messages; "pods" in the core group.
  std::string GroupResource() const { return group.empty() ? resource : resource + "." + group; }
  GroupVersion group_version() const { return {group, version}; }
  auto operator<=>(const GroupVersionResource&) const = default;
};

struct NamespacedName {
  std::string ns;  // "" for cluster-scoped objects
  std::string name;
  auto operator<=>(const NamespacedName&) const = default;
};

// True for an RFC 1123 label (a namespace's name): at most 63 of [a-z0-9-], alphanumeric at both
// ends.
bool IsDns1123Label(std::string_view s);
// True for an RFC 1123 subdomain (most objects' names): at most 253, dot-separated labels'
// characters.
bool IsDns1123Subdomain(std::string_view s);
// True for a path segment name: not "." or "..", no "/" or "%".
bool IsPathSegmentName(std::string_view s);

}  // namespace steward::kube

#endif  // KUBE_META_NAMES_H_
