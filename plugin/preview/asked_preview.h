// A preview that was asked of the API server. Values; the function runs on the caller's executor.
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

// Something stands against the step, or nobody can tell.
bool Warns(const olm::PreviewStep& step);
// It will happen as shown: each step is known, nothing stands against any of them, nor against the
// whole, but that a plan waits for its approval, or has done all of its steps.
bool IsClear(const olm::PlanPreview& preview);
// "Widget a/one".
std::string ObjectText(const olm::PreviewStep& step);

// Errors: kInvalidArgument names what cannot be read.
absl::StatusOr<AskedPreview> ReadPreview(const boost::json::object& object);

// Creates a PlanPreview with this spec, which stores nothing, in the namespace.
Task<AskedPreview> AskPreview(kube::Client& client, std::string ns, boost::json::object spec);

// True if an error of AskPreview says that this user gets no previews here: the API is not served,
// is away, or not allowed.
bool IsWithoutPreviews(const absl::Status& error);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_ASKED_PREVIEW_H_
