// Access to members of JSON objects of unknown content: a member of another type counts as absent.
// Pure functions.
#ifndef BASE_JSON_JSON_ACCESS_H_
#define BASE_JSON_JSON_ACCESS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "absl/base/attributes.h"

namespace steward {

inline std::string_view View(boost::json::string_view s ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return {s.data(), s.size()};
}

// Null when the member is absent. The results live as long as `parent` is not changed.
inline const boost::json::object* ObjectAt(
    const boost::json::object& parent ABSL_ATTRIBUTE_LIFETIME_BOUND, std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}
inline const boost::json::array* ArrayAt(
    const boost::json::object& parent ABSL_ATTRIBUTE_LIFETIME_BOUND, std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}
// "" when the member is absent.
inline std::string_view StringAt(const boost::json::object& parent ABSL_ATTRIBUTE_LIFETIME_BOUND,
                                 std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value != nullptr && value->is_string() ? View(value->get_string()) : std::string_view();
}
inline bool BoolAt(const boost::json::object& parent, std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace steward

#endif  // BASE_JSON_JSON_ACCESS_H_
