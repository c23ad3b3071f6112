// A command's account for programs, as docs/kubectl-steward.md describes it.
#ifndef PLUGIN_REPORT_H_
#define PLUGIN_REPORT_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "plugin/exit.h"

namespace steward::plugin {

// The beginning of a document: apiVersion and kind.
boost::json::object NewReport(std::string_view kind);

// Ends it with how the command ended: result, exitCode and message.
void Conclude(const absl::Status& status, boost::json::object& document);

// The document with a newline at its end.
std::string ReportText(const boost::json::object& document);

}  // namespace steward::plugin

#endif  // PLUGIN_REPORT_H_
