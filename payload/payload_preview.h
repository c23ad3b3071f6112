// What a pass over a payload would do, said without changing anything. A coroutine on the caller's
// executor.
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

// Objects of a resource that go with a namespace or a definition.
struct PreviewedLoss {
  std::string resource;          // "configmaps", "widgets.example.com"
  std::optional<int64_t> count;  // nullopt: they could not be listed
};

struct PreviewedObject {
  std::string where;
  olm::PayloadIdentity identity;
  PreviewAction action = PreviewAction::kUnchanged;
  std::vector<std::string> fields;  // of an update
  std::string reason;               // one sentence; may be ""
  std::vector<PreviewedLoss> losses;
};

struct Preview {
  olm::PayloadState state = olm::PayloadState::kUpdating;
  std::string version;
  std::vector<std::string> preconditions;  // why the update would not begin
  std::vector<PreviewedObject> objects;    // in the payload's order
  std::vector<olm::PayloadFault> left_out;
  std::vector<olm::PayloadFault> faults;  // of the plan: nothing of the payload would be used
  std::vector<std::string> notes;         // what was assumed
};

// Creations and updates are tried on the server without being kept (dry run), so what it would
// refuse is told; what lies in a namespace, or is of a kind, that the payload itself makes before
// it can not be tried, and is judged by the payload. With faults there are no objects. Errors:
// something could not be read, so the preview would be wrong. REQUIRES: the
// references outlive the task.
Task<Preview> MakePreview(const PassDeps& deps, const Release& release,
                          const PayloadOptions& options);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_PREVIEW_H_
