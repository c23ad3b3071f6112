// Access to the metadata of JSON objects of unknown content. Pure functions.
#ifndef KUBE_META_METADATA_ACCESS_H_
#define KUBE_META_METADATA_ACCESS_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "kube/meta/names.h"

namespace steward::kube {

// Null when there is none. The result lives as long as `object` is not changed.
const boost::json::object* MetadataOf(const boost::json::value& object);
const boost::json::object* MetadataOf(const boost::json::value&& object) = delete;

// The string metadata.<key>; "" when it is absent or no string.
std::string MetadataText(const boost::json::value& object, std::string_view key);
// The strings metadata.namespace and metadata.name, in the same way.
NamespacedName NameOf(const boost::json::value& object);

}  // namespace steward::kube

#endif  // KUBE_META_METADATA_ACCESS_H_
