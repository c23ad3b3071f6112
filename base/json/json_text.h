// JSON as text: escaping, parsing with limits, printing, minifying, indenting. Pure functions.
//
// The printed form is that of Go's encoding/json wherever Kubernetes clients could tell the
// difference.
#ifndef BASE_JSON_JSON_TEXT_H_
#define BASE_JSON_JSON_TEXT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

// Appends `s` as a JSON string with its quotes. Control characters, U+2028 and U+2029 are escaped;
// each byte that is not part of valid UTF-8 becomes \ufffd, so the result is valid JSON for every
// input.
void AppendJsonString(std::string_view s, std::string& out);
// Appends `s` like AppendJsonString, but & < > become \u0026 \u003c \u003e, as Kubernetes' own
// encoder writes them.
void AppendHtmlSafeJsonString(std::string_view s, std::string& out);

// Appends a number in the shortest form that reads back as the same double. Always with a fraction
// ("1.0", "1.0e+30"), so that YAML 1.1 readers see a float too. NaN and infinities, which JSON
// lacks, become null.
void AppendJsonDouble(double d, std::string& out);

struct JsonLimits {
  size_t max_size = 3 << 20;  // bytes; Kubernetes' request body limit
  size_t max_depth = 256;     // nested objects and arrays
  // The last of several equal keys wins by default, as in Kubernetes without strict validation.
  bool refuse_duplicate_keys = false;
};

// Parses one JSON value, surrounded by nothing but white space. Integers outside 64 bits and all
// other numbers become the nearest double. Errors are InvalidArgument and name line and column, or
// the duplicate key; a text beyond max_size is ResourceExhausted.
absl::StatusOr<boost::json::value> ParseJson(std::string_view text, const JsonLimits& limits = {});

// Appends the value, minified, members in the object's own order.
void AppendJson(const boost::json::value& value, std::string& out);
std::string Serialize(const boost::json::value& value);

// Appends `text` without the white space between tokens; strings and numbers stay byte for byte.
// REQUIRES: `text` is valid JSON. For other texts the result is safe but meaningless; only an
// unclosed string is reported.
absl::Status CompactJson(std::string_view text, std::string& out);

// Returns `text` as json.MarshalIndent(v, "", "  ") lays it out, without a newline at the end. Key
// order, strings and numbers stay as they are. REQUIRES: `text` is valid JSON. For other texts the
// result is safe but meaningless.
std::string IndentJson(std::string_view text);

}  // namespace steward

#endif  // BASE_JSON_JSON_TEXT_H_
