// The line of a field in a text of YAML or JSON. Pure functions.
#ifndef BASE_YAML_FIELD_LINE_H_
#define BASE_YAML_FIELD_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steward {

// The line, from 1, of a field in the first document of `text`. `field` has the keys from the root
// on; decimal numbers, from 0, are elements of lists. If the field is missing, the line of its
// nearest parent; 1 if the text cannot be read.
size_t LineOfField(std::string_view text, const std::vector<std::string>& field);

}  // namespace steward

#endif  // BASE_YAML_FIELD_LINE_H_
