// Previews as unified diffs, for people who know kubectl diff. Not thread-safe.
#ifndef PLUGIN_PREVIEW_PREVIEW_DIFF_H_
#define PLUGIN_PREVIEW_PREVIEW_DIFF_H_

#include "olm/preview/preview.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// Prints a unified diff of YAML for each step that would create or change an object: what is
// created whole, of an update each field that changes, with its path behind the numbers of its
// lines. Behind '#' follows what such a diff cannot say: values that are too large to be shown,
// what the cluster warns of, and what stands against a step.
void ShowDiff(const olm::PlanPreview& preview, Terminal& terminal);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_PREVIEW_DIFF_H_
