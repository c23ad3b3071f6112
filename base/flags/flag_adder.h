// Flags in the form that all of the program's commands share. Not thread-safe.
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

// Adds flags to an app of CLI11. Each flag is bound to a value, which must outlive the app's
// parsing; its current value is the flag's default and appears in --help.
class FlagAdder {
 public:
  explicit FlagAdder(CLI::App& app) : app_(app) {}

  CLI::Option* Text(const char* name, std::string& value, const std::string& help);
  // Refuses numbers outside [min, max].
  void Number(const char* name, int& value, int min, int max, const char* help);
  void Switch(const char* name, bool& value, const std::string& help);
  // A duration in the notation of Go's flag package (base/flags/duration.h).
  void Duration(const char* name, absl::Duration& value, const char* help);
  // A comma-separated list; the flag may be repeated.
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
