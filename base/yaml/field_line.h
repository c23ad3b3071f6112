// The line of a field in a text of YAML or JSON. Pure functions.
#ifndef BASE_YAML_FIELD_LINE_H_
#define BASE_YAML_FIELD_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steward {

// The line, the first one being 1, of the field of the text's first document: keys from its root
// on, and decimal numbers for the elements of lists, from 0. That of the nearest parent where the
// field is missing, and 1 where the text cannot be read.
size_t LineOfField(std::string_view text, const std::vector<std::string>& field);

}  // namespace steward

#endif  // BASE_YAML_FIELD_LINE_H_
