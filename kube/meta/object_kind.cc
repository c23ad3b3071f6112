#include "kube/meta/object_kind.h"

#include <cstddef>
#include <string_view>

#include "base/json/json_access.h"

namespace steward::kube {

GroupVersionKind KindOf(const boost::json::object& object) {
  GroupVersionKind gvk;
  const std::string_view api_version = StringAt(object, "apiVersion");
  const size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  if (!core) gvk.group = api_version.substr(0, slash);
  gvk.version = core ? api_version : api_version.substr(slash + 1);
  gvk.kind = StringAt(object, "kind");
  return gvk;
}

}  // namespace steward::kube
