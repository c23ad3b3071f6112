// Asks the API server for a preview. Values; the function runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_ASKED_PREVIEW_H_
#define PLUGIN_PREVIEW_ASKED_PREVIEW_H_

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "olm/preview/preview.h"

namespace steward::plugin {

struct AskedPreview {
  olm::PlanPreview said;
  boost::json::object object;  // the whole PlanPreview
};

// Returns true if the step would fail or be blocked, or if its outcome is not known.
bool Warns(const olm::PreviewStep& step);
// Returns true if the change will happen as shown: every step is shown, none warns, and nothing
// prevents the whole, except that a plan waits for its approval or is already done.
bool IsClear(const olm::PlanPreview& preview);
// Returns a text like "Widget a/one".
std::string ObjectText(const olm::PreviewStep& step);

// Reads a PlanPreview. kInvalidArgument names the part that cannot be read.
absl::StatusOr<AskedPreview> ReadPreview(const boost::json::object& object);

// Asks by creating a PlanPreview with this spec in the namespace, which stores nothing.
Task<AskedPreview> AskPreview(kube::Client& client, std::string ns, boost::json::object spec);

// Returns true if an error of AskPreview means that this user gets no previews here: the API is not
// served, unavailable, or forbidden.
bool IsWithoutPreviews(const absl::Status& error);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_ASKED_PREVIEW_H_
