// Previews a pass over a payload without changing anything. A coroutine on the caller's executor.
#ifndef PAYLOAD_PAYLOAD_PREVIEW_H_
#define PAYLOAD_PAYLOAD_PREVIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "olm/payload/payload.h"
#include "olm/payload/removal.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"

namespace steward::payload {

enum class PreviewAction { kCreate, kUpdate, kUnchanged, kDelete, kKept, kRefused };
std::string_view NameOf(PreviewAction action);

// The objects of one resource that are deleted along with a namespace or a definition.
struct PreviewedLoss {
  std::string resource;          // "configmaps", "widgets.example.com"
  std::optional<int64_t> count;  // nullopt: they could not be listed
};

struct PreviewedObject {
  std::string where;
  olm::PayloadIdentity identity;
  PreviewAction action = PreviewAction::kUnchanged;
  std::vector<std::string> fields;  // the fields that an update changes
  std::string reason;               // one sentence; may be ""
  std::vector<PreviewedLoss> losses;
};

struct Preview {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::string version;
  std::vector<std::string> preconditions;  // those that keep the update from beginning
  std::vector<PreviewedObject> objects;    // in the payload's order
  std::vector<olm::PayloadFault> left_out;
  std::vector<olm::PayloadFault> faults;  // of the plan; with any, no object is previewed
  std::vector<std::string> notes;         // the assumptions that were made
};

// Creations and updates are tried on the server by dry runs, so refusals are found. An object
// cannot be tried if the payload itself creates its namespace or its kind first; it is then judged
// by the payload alone. With faults there are no objects. Fails if something could not be read,
// since the preview would be wrong. REQUIRES: the references outlive the task.
Task<Preview> MakePreview(const PassDeps& deps, const Release& release,
                          const PayloadOptions& options);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_PREVIEW_H_
