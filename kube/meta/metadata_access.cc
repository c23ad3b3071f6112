#include "kube/meta/metadata_access.h"

#include "base/json/json_access.h"

namespace steward::kube {

const boost::json::object* MetadataOf(const boost::json::value& object) {
  const boost::json::object* fields = object.if_object();
  return fields == nullptr ? nullptr : ObjectAt(*fields, "metadata");
}

std::string MetadataText(const boost::json::value& object, std::string_view key) {
  const boost::json::object* metadata = MetadataOf(object);
  return metadata == nullptr ? std::string() : std::string(StringAt(*metadata, key));
}

NamespacedName NameOf(const boost::json::value& object) {
  return {MetadataText(object, "namespace"), MetadataText(object, "name")};
}

}  // namespace steward::kube
