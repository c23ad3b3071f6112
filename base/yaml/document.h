// The parser of one YAML document, cut out of its text. Pure functions.
#ifndef BASE_YAML_DOCUMENT_H_
#define BASE_YAML_DOCUMENT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/yaml/yaml.h"

namespace steward::yaml {

// Parses one document, which may start with its `---`. `first_line` is the number of its first
// line, for errors. REQUIRES: `text` is UTF-8 and has only characters that YAML allows.
absl::StatusOr<boost::json::value> ParseDocument(std::string_view text, size_t first_line,
                                                 const YamlLimits& limits);

}  // namespace steward::yaml

#endif  // BASE_YAML_DOCUMENT_H_
