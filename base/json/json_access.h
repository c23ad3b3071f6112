// Looking into JSON objects that may hold anything: what is absent or of another type is not there.
#ifndef BASE_JSON_JSON_ACCESS_H_
#define BASE_JSON_JSON_ACCESS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

namespace steward {

inline std::string_view View(boost::json::string_view s) { return {s.data(), s.size()}; }

// Null when there is none. The results live as long as `parent` is not changed.
inline const boost::json::object* ObjectAt(const boost::json::object& parent,
                                           std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}
inline const boost::json::array* ArrayAt(const boost::json::object& parent, std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}
// "" when there is none.
inline std::string_view StringAt(const boost::json::object& parent, std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value != nullptr && value->is_string() ? View(value->get_string()) : std::string_view();
}
inline bool BoolAt(const boost::json::object& parent, std::string_view key) {
  const boost::json::value* value = parent.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace steward

#endif  // BASE_JSON_JSON_ACCESS_H_
