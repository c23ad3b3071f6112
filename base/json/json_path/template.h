// The parsed form of a jsonpath template. Values and a pure function.
#ifndef BASE_JSON_JSON_PATH_TEMPLATE_H_
#define BASE_JSON_JSON_PATH_TEMPLATE_H_

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace steward::json_path {

// A part of a template: turns a list of values into another.
struct Node {
  enum class Kind {
    kText,        // `value`, whatever the input is
    kLiteral,     // `value`, once for each input
    kIdentifier,  // range, end, or a word that is unknown
    kField,       // the member `text`
    kWildcard,    // all members of an object, or items of a list
    kRecursive,   // the value and all below
    kSlice,       // some items of a list
    kUnion,       // the results of each of `lists`
    kFilter,      // the items for which `lists` [left, right] hold by the operator `text`
    kAction,      // a chain, `lists` [chain]
  };

  Kind kind = Kind::kText;
  std::string text;
  boost::json::value value;
  std::vector<std::vector<Node>> lists;
  // The bounds and the step of a slice. Absent bounds are the list's ends; an absent step is one.
  std::optional<int64_t> begin;
  std::optional<int64_t> end;
  std::optional<int64_t> step;
  bool single = false;  // the slice is written as one index
};

// Returns the texts and actions of a template, in their order. kInvalidArgument with what is wrong.
absl::StatusOr<std::vector<Node>> ParseTemplate(std::string_view text);

// A template, or a part of it, shortened if it is long, for messages.
std::string Shown(std::string_view text);

}  // namespace steward::json_path

#endif  // BASE_JSON_JSON_PATH_TEMPLATE_H_
