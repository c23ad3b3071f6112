// Shows previews as unified diffs, for people who know kubectl diff. Not thread-safe.
#ifndef PLUGIN_PREVIEW_PREVIEW_DIFF_H_
#define PLUGIN_PREVIEW_PREVIEW_DIFF_H_

#include "olm/preview/preview.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// Prints a unified diff of YAML for each step that would create or change an object. A created
// object is shown whole. Of an update each changed field is shown, with its path after the line
// numbers. Lines with '#' tell what a diff cannot: omitted large values, the cluster's warnings,
// and why a step would fail.
void ShowDiff(const olm::PlanPreview& preview, Terminal& terminal);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_PREVIEW_DIFF_H_
