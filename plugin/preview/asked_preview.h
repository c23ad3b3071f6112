// A preview that was asked of the API server. Values; the function runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_ASKED_PREVIEW_H_
#define PLUGIN_PREVIEW_ASKED_PREVIEW_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::plugin {

// One step, in the words of the API (docs/previews.md).
struct AskedStep {
  std::string object;  // "Widget a/one"
  std::string outcome;
  std::string basis;
  std::string reason;
  std::string message;
  std::vector<std::string> changed_fields;
  bool optional = false;

  // Something stands against it, or nobody can tell.
  bool Warns() const;
};

struct AskedPreview {
  std::vector<AskedStep> steps;
  int64_t hidden = 0;     // that the user may not see
  int64_t remaining = 0;  // behind those that are shown
  bool executable = false;
  std::string reason;          // why, or why not
  std::string message;         // likewise; "" = there is none
  boost::json::object object;  // the whole PlanPreview

  // Nothing stands against any step, and each of them is known.
  bool IsClear() const;
};

// Errors: kInvalidArgument names what cannot be read.
absl::StatusOr<AskedPreview> ReadPreview(const boost::json::object& object);

// Creates a PlanPreview with this spec, which stores nothing, in the namespace.
Task<AskedPreview> AskPreview(kube::Client& client, std::string ns, boost::json::object spec);

// True if an error of AskPreview says that this user gets no previews here: the API is not served,
// is away, or not allowed.
bool IsWithoutPreviews(const absl::Status& error);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_ASKED_PREVIEW_H_
