#include "base/flags/flag_adder.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/flags/duration.h"
#include "base/text/str_cat.h"

namespace steward {

CLI::Option* FlagAdder::Text(const char* name, std::string& value, const std::string& help) {
  return app_.add_option(name, value, help)->capture_default_str()->type_name("STRING");
}

void FlagAdder::Number(const char* name, int& value, int min, int max, const char* help) {
  app_.add_option(name, value, help)
      ->capture_default_str()
      ->type_name("INT")
      ->check(CLI::Range(min, max));
}

void FlagAdder::Switch(const char* name, bool& value, const std::string& help) {
  app_.add_flag(name, value, StrCat(help, " [", value ? "true" : "false", "]"));
}

void FlagAdder::Duration(const char* name, absl::Duration& value, const char* help) {
  app_.add_option_function<std::string>(
          name,
          [name, &value](const std::string& text) {
            const std::string problem = ReadDuration(text, value);
            if (!problem.empty()) throw CLI::ValidationError(name, problem);
          },
          help)
      ->type_name("DURATION")
      ->default_str(DurationText(value));
}

void FlagAdder::List(const char* name, std::vector<std::string>& value, const std::string& help) {
  app_.add_option_function<std::vector<std::string>>(
          name,
          [&value](const std::vector<std::string>& given) {
            value = absl::StrSplit(absl::StrJoin(given, ","), ',', absl::SkipWhitespace());
          },
          help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("LIST")
      ->default_str(absl::StrJoin(value, ","));
}

void FlagAdder::Verbosity(int& value) {
  Number("-v,--v", value, 0, 10, "How much to log: 0 to 10");
}

void FlagAdder::LoggingFormat(std::string& value) {
  Text("--logging-format", value, "Format of log lines: text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

}  // namespace steward
