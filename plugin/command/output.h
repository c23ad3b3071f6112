// The forms in which commands report to programs, the values of --output. Pure functions on values.
#ifndef PLUGIN_COMMAND_OUTPUT_H_
#define PLUGIN_COMMAND_OUTPUT_H_

#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json/json_path/json_path.h"

namespace steward::plugin {

// The objects that a document lists, as kubectl names them ("pod/web-1").
using ObjectNames = std::function<std::vector<std::string>(const boost::json::object& document)>;

// True for the values that --output can have. A template in `value` is not parsed yet. "" = text
// for people.
bool IsOutput(std::string_view value);

struct Output {
  enum class Form { kPeople, kWide, kJson, kYaml, kName, kJsonPath, kJsonPathAsJson };

  Form form = Form::kPeople;
  std::optional<JsonPath> path;  // of kJsonPath and kJsonPathAsJson

  bool for_people() const { return form == Form::kPeople || form == Form::kWide; }
  // True if programs get the whole document. The text for people goes to standard error then.
  bool whole() const { return form == Form::kJson || form == Form::kYaml; }
};

// Parses a value for which IsOutput is true. kInvalidArgument for a template that cannot be parsed.
absl::StatusOr<Output> ParseOutput(std::string_view value);

// Returns what programs get of the document. kInvalidArgument if a template does not suit the
// document.
absl::StatusOr<std::string> Render(const Output& output, const boost::json::object& document,
                                   const ObjectNames& names);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_OUTPUT_H_
