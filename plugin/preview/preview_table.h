// Shows previews to people. Not thread-safe; tasks run on the caller's executor.
#ifndef PLUGIN_PREVIEW_PREVIEW_TABLE_H_
#define PLUGIN_PREVIEW_PREVIEW_TABLE_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>

#include "base/async/task.h"
#include "olm/preview/preview.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

struct PreviewTableOptions {
  bool wide = false;  // adds the basis and shows all texts in full
  size_t most =
      static_cast<size_t>(-1);  // steps; those that warn come first, the others are counted
};

// Prints the cluster's warnings, a line that counts the steps, and why they would not be done.
void ShowSummary(const olm::PlanPreview& preview, Terminal& terminal);

// Prints a row for each step, and the summary.
void ShowPreview(const olm::PlanPreview& preview, const PreviewTableOptions& options,
                 Terminal& terminal);

// Asks for a preview in addition to one that the command has made itself, and shows the steps that
// warn, and the counts. Does nothing if the user gets no previews here. `ns` "" = the session's.
StatusTask ShowAskedPreview(Session& session, boost::json::object spec, std::string ns = "");

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_PREVIEW_TABLE_H_
