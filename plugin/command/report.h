// The document in which a command reports to programs, as docs/kubectl-steward.md describes it.
// Pure functions.
#ifndef PLUGIN_COMMAND_REPORT_H_
#define PLUGIN_COMMAND_REPORT_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "plugin/command/exit.h"

namespace steward::plugin {

// The beginning of a document: apiVersion and kind.
boost::json::object NewReport(std::string_view kind);

// Ends the document with the outcome of the command: result, exitCode and message.
void Conclude(const absl::Status& status, boost::json::object& document);

// The document with a newline at its end, as JSON, or as YAML.
std::string ReportText(const boost::json::object& document, bool yaml = false);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_REPORT_H_
