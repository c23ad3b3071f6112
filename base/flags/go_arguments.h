// Command lines as Go's flag packages take them, for CLI11.
#ifndef BASE_FLAGS_GO_ARGUMENTS_H_
#define BASE_FLAGS_GO_ARGUMENTS_H_

#include <string>
#include <vector>

namespace steward {

// `given` (without the program's name) in the form and the order (from the end) in which
// CLI::App::parse takes a vector: "-v=4" becomes "-v4", and "--flag=" two arguments, of which the
// second is empty.
std::vector<std::string> ForCli11(const std::vector<std::string>& given);

}  // namespace steward

#endif  // BASE_FLAGS_GO_ARGUMENTS_H_
