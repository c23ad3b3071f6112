// A preview that was asked of the API server. Values; the function runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_ASKED_PREVIEW_H_
#define PLUGIN_PREVIEW_ASKED_PREVIEW_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::plugin {

// A field before and after a step.
struct AskedChange {
  std::string path;                          // "" = the whole object
  std::optional<boost::json::value> before;  // nullopt: it is not there, or is not told
  std::optional<boost::json::value> after;   // likewise
  bool cut = false;                          // values, or long texts in them, are left out
};

// One step, in the words of the API (docs/previews.md).
struct AskedStep {
  std::string object;  // "Widget a/one"
  std::string group;
  std::string version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string outcome;
  std::string basis;
  std::string reason;
  std::string message;
  std::vector<std::string> changed_fields;
  std::vector<AskedChange> changes;
  std::vector<std::string> warnings;  // of the cluster
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

  // It will happen as shown: each step is known, nothing stands against any of them, nor against
  // the whole, but that a plan waits for its approval, or has done all of its steps.
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
