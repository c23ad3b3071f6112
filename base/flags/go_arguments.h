// Command lines in the syntax of Go's flag packages, for CLI11. Pure functions.
#ifndef BASE_FLAGS_GO_ARGUMENTS_H_
#define BASE_FLAGS_GO_ARGUMENTS_H_

#include <string>
#include <vector>

namespace steward {

// Returns `given` (without the program's name) in the form and the order (from the end) in which
// CLI::App::parse takes a vector: "-v=4" becomes "-v4", and "--flag=" becomes two arguments, the
// second of them empty.
std::vector<std::string> ForCli11(const std::vector<std::string>& given);

}  // namespace steward

#endif  // BASE_FLAGS_GO_ARGUMENTS_H_
