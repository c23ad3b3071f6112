// The states of a removal, from a delete manifest until the object is gone. Values and pure
// functions.
//
//   absent ────────────────────────────────────────► Completed, with a note
//   present ─► Initiated ─► Ongoing ───────────────► Completed ─► Reappeared, under another UID
//                  └─► Failed, where the server or a rule refuses it; tried again while updating
#ifndef OLM_PAYLOAD_REMOVAL_H_
#define OLM_PAYLOAD_REMOVAL_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "olm/payload/payload.h"

namespace steward::olm {

// The stages of a payload (R-003-54).
enum class PayloadState {
  kInitializing,  // an installation: nothing is deleted
  kUpdating,      // from the first sight of a payload until all of it is done: deletes objects
  kReconciling,   // afterwards: follows removals that have begun, and begins none
};
std::string_view NameOf(PayloadState state);

enum class RemovalState { kInitiated, kOngoing, kCompleted, kReappeared, kFailed };
std::string_view NameOf(RemovalState state);

// A removal as the record keeps it, so that a restart knows what was deleted (R-003-56).
struct Removal {
  PayloadIdentity identity;
  // The UID of the object that is deleted; "" where there was none.
  std::string uid;
  bool removes = false;  // an object was there, and was to be deleted
  RemovalState state = RemovalState::kInitiated;
  absl::Time since;
  std::string version;  // of the payload that removed the object
  std::string note;     // why it failed, or what is noteworthy; one sentence

  // True if minor updates wait for this removal (R-003-20). An object that reappeared is only
  // reported (R-003-16).
  bool holds() const {
    return state != RemovalState::kCompleted && state != RemovalState::kReappeared;
  }
  bool operator==(const Removal&) const = default;
};

struct LiveObject {
  std::string uid;
  bool deleting = false;  // it has a deletionTimestamp (R-003-18)
};

struct RemovalChoices {
  PayloadState state = PayloadState::kUpdating;
  bool redelete = false;  // delete objects that reappeared again (R-003-53)
  std::string version;
  absl::Time now;
};

struct RemovalDecision {
  // The new state of the removal, to be recorded before the delete. Nullopt: there is no removal,
  // and the object is kept as it is.
  std::optional<Removal> removal;
  // True if the object with the removal's UID is to be deleted now.
  bool deletes = false;
};

// Decides by the recorded removal and the live object. `live` is nullopt only if the object or its
// kind is certainly absent. Deletes the object once. Never deletes another object that has the name
// by now, unless `choices.redelete`.
RemovalDecision DecideRemoval(const PayloadIdentity& identity, const std::optional<Removal>& known,
                              const std::optional<LiveObject>& live, const RemovalChoices& choices);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_REMOVAL_H_
