// An object's metadata as a kube-apiserver decodes and encodes it. Values and pure functions.
#ifndef STORAGE_EMBEDDED_RULES_OBJECT_META_H_
#define STORAGE_EMBEDDED_RULES_OBJECT_META_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "base/json/json_access.h"

namespace steward::storage {

struct DecodedMeta {
  // Known members only, in the order of metav1.ObjectMeta, without empty ones; an owner that is
  // listed twice appears once. Times are in UTC. selfLink and managedFields, which nothing here
  // fills in, are dropped.
  boost::json::object meta;
  // "" or, in the words of Go's JSON decoder, the reason why the metadata cannot be read; `meta` is
  // then meaningless.
  std::string problem;
};

// `metadata` may be null (no metadata). `path` is the place of its members in the decoder's
// messages: "" or "metadata.".
DecodedMeta DecodeMeta(const boost::json::value* metadata, std::string_view path);

// `meta` with its members in the order of metav1.ObjectMeta. REQUIRES: all members are known.
boost::json::object InOrder(const boost::json::object& meta);

// The name that Go's JSON decoder has for the type of a value: "string", "number", ...
std::string_view JsonTypeName(const boost::json::value& value);

// The metadata of a decoded or stored object. REQUIRES: the object has metadata.
const boost::json::object& MetaOf(const boost::json::object& object ABSL_ATTRIBUTE_LIFETIME_BOUND);

inline boost::json::string_view Key(std::string_view s) { return {s.data(), s.size()}; }

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_OBJECT_META_H_
