// Templates of jsonpath, in the dialect of kubectl. Immutable values: thread-safe.
//
// Output and errors are as with k8s.io/client-go/util/jsonpath where missing keys are allowed.
// Members that a wildcard or `..` finds come in the order of the document, whereas client-go's
// order is random.
#ifndef BASE_JSON_JSON_PATH_JSON_PATH_H_
#define BASE_JSON_JSON_PATH_JSON_PATH_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json/json_path/template.h"

namespace steward {

struct JsonPathLimits {
  size_t max_steps = 20'000'000;  // values that are looked at
  size_t max_output = 64U << 20;  // bytes; one value more may be made before the check
};

class JsonPath {
 public:
  enum class Form {
    kText,  // strings bare, objects and arrays as JSON, results of one action with spaces between
    kJson,  // the results of each action as a JSON array
  };

  // kInvalidArgument with what is wrong with the template.
  static absl::StatusOr<JsonPath> Parse(std::string_view text);

  // A template, shortened if it is long, for messages.
  static std::string Shown(std::string_view text) { return json_path::Shown(text); }

  // Returns what the template makes of a document. kInvalidArgument if the template does not suit
  // the document; kResourceExhausted beyond a limit.
  absl::StatusOr<std::string> Print(const boost::json::value& document, Form form,
                                    const JsonPathLimits& limits = {}) const;

 private:
  explicit JsonPath(std::vector<json_path::Node> nodes) : nodes_(std::move(nodes)) {}

  std::vector<json_path::Node> nodes_;
};

}  // namespace steward

#endif  // BASE_JSON_JSON_PATH_JSON_PATH_H_
