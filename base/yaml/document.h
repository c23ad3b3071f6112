// One YAML document, cut out of its text.
#ifndef BASE_YAML_DOCUMENT_H_
#define BASE_YAML_DOCUMENT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/yaml/yaml.h"

namespace steward::yaml {

// Reads one document, which may start with its `---`. `first_line` is its first line's number, for
// errors. REQUIRES: `text` is UTF-8 of characters that YAML allows.
absl::StatusOr<boost::json::value> ParseDocument(std::string_view text, size_t first_line,
                                                 const YamlLimits& limits);

}  // namespace steward::yaml

#endif  // BASE_YAML_DOCUMENT_H_
