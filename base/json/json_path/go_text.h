// JSON values as programs in Go print them. Pure functions.
#ifndef BASE_JSON_JSON_PATH_GO_TEXT_H_
#define BASE_JSON_JSON_PATH_GO_TEXT_H_

#include <boost/json/value.hpp>
#include <string>

namespace steward::json_path {

// Appends a value as fmt.Print does: strings bare, null for none. Objects and arrays are JSON.
void AppendText(const boost::json::value& value, std::string& out);

// Appends a value as encoding/json does: members sorted, & < > escaped. With `indent` spaces for
// each level, one member per line; 0 = all in one line. `depth` is the level at which the value
// begins.
void AppendGoJson(const boost::json::value& value, size_t indent, std::string& out,
                  size_t depth = 0);

}  // namespace steward::json_path

#endif  // BASE_JSON_JSON_PATH_GO_TEXT_H_
