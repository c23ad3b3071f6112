// Flags as all of the program's commands have them.
#ifndef BASE_FLAGS_FLAG_ADDER_H_
#define BASE_FLAGS_FLAG_ADDER_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace steward {

// Adds flags to an app of CLI11. Each is bound to a value, which must outlive the app's parsing;
// what the value is now is the flag's default, and --help says so.
class FlagAdder {
 public:
  explicit FlagAdder(CLI::App& app) : app_(app) {}

  CLI::Option* Text(const char* name, std::string& value, const std::string& help);
  // Refuses what is not in [min, max].
  void Number(const char* name, int& value, int min, int max, const char* help);
  void Switch(const char* name, bool& value, const std::string& help);
  // As Go's flag package reads them (base/flags/duration.h).
  void Duration(const char* name, absl::Duration& value, const char* help);
  // Comma-separated, and may be repeated.
  void List(const char* name, std::vector<std::string>& value, const std::string& help);
  // -v, --v.
  void Verbosity(int& value);
  // --logging-format, "text" or "json".
  void LoggingFormat(std::string& value);

 private:
  CLI::App& app_;
};

}  // namespace steward

#endif  // BASE_FLAGS_FLAG_ADDER_H_
