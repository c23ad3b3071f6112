// JSON that has to be an object, as a text or as a member. Pure functions.
#ifndef BASE_JSON_JSON_OBJECT_H_
#define BASE_JSON_JSON_OBJECT_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"

namespace steward {

// Parses like ParseJson; kInvalidArgument also for a value that is no object.
inline absl::StatusOr<boost::json::object> ParseJsonObject(std::string_view text) {
  absl::StatusOr<boost::json::value> value = ParseJson(text);
  if (!value.ok()) return value.status();
  if (!value->is_object()) return absl::InvalidArgumentError("it is no object");
  return std::move(value->get_object());
}

// The member `key`; an empty object if it is absent or no object.
inline const boost::json::object& PartOf(const boost::json::object& object, std::string_view key) {
  static const boost::json::object& none = *new boost::json::object;
  const boost::json::object* part = ObjectAt(object, key);
  return part == nullptr ? none : *part;
}

}  // namespace steward

#endif  // BASE_JSON_JSON_OBJECT_H_
