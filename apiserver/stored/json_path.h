// The part of JSONPath that printer columns of CustomResourceDefinitions use. Immutable, so
// thread-safe.
#ifndef APISERVER_STORED_JSON_PATH_H_
#define APISERVER_STORED_JSON_PATH_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"

namespace steward::stored {

// A path into a JSON value. Cheap to copy.
class JsonPath {
 public:
  static constexpr size_t kMaxLength = 1024;

  // Parses steps, after an optional `$`:
  //   .name  ['name']      a member; a backslash takes the next character as it stands (`.a\.b`)
  //   [2]  [-1]            an element, from the end when negative
  //   .*  [*]              every member or element
  //   [?(@.name=="text")]  the matching elements; also !=, numbers, true and false, and a path
  //                        alone, which matches if it leads to a value
  // kInvalidArgument for everything else, slices, unions and `..` included, and beyond kMaxLength.
  static absl::StatusOr<JsonPath> Parse(std::string_view text);

  // The first value, in document order, that the path leads to; null when there is none.
  const boost::json::value* FindFirst(
      const boost::json::value& root ABSL_ATTRIBUTE_LIFETIME_BOUND) const;

 private:
  friend class JsonPathParser;
  struct Filter;
  struct Step {
    enum class Kind { kMember, kElement, kEach, kFilter };
    Kind kind;
    std::string name;
    int64_t index = 0;
    std::shared_ptr<const Filter> filter;
  };

  static const boost::json::value* Walk(const std::vector<Step>& steps, size_t next,
                                        const boost::json::value& value);
  static const boost::json::value* WalkEach(const std::vector<Step>& steps, size_t next,
                                            const boost::json::value& value);

  std::vector<Step> steps_;
};

}  // namespace steward::stored

#endif  // APISERVER_STORED_JSON_PATH_H_
