// Strings as Go quotes them. Pure functions.
#ifndef BASE_JSON_JSON_PATH_QUOTED_H_
#define BASE_JSON_JSON_PATH_QUOTED_H_

#include <optional>
#include <string>
#include <string_view>

namespace steward::json_path {

// Returns the text between quotes with its escapes resolved (\n, \t, \x41, \101, \u00e9, ...), or
// nullopt if an escape is invalid.
std::optional<std::string> Unquote(std::string_view inside, char quote);

}  // namespace steward::json_path

#endif  // BASE_JSON_JSON_PATH_QUOTED_H_
