// The way of an object from a delete manifest to its end. Values and pure functions.
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
  kUpdating,      // from the first sight of a payload until all of it is done: objects are deleted
  kReconciling,   // afterwards: removals are followed, none is begun
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
  std::string version;  // the payload's that removed it
  std::string note;     // why it failed, or what is noteworthy; one sentence

  // Minor updates wait for it (R-003-20). An object that reappeared is only reported (R-003-16).
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
  bool redelete = false;  // what reappeared is deleted again (R-003-53)
  std::string version;
  absl::Time now;
};

struct RemovalDecision {
  // The removal from now on; to be recorded before anything is deleted. Nullopt: none, the object
  // is kept as it is.
  std::optional<Removal> removal;
  // The object with the removal's UID is to be deleted.
  bool deletes = false;
};

// Decides by the record of an object's removal and by its live state; `live` is nullopt where the
// object is absent, or its kind is, for certain. The object is deleted once, and never another one
// that came under its name, unless it is to be deleted again.
RemovalDecision DecideRemoval(const PayloadIdentity& identity, const std::optional<Removal>& known,
                              const std::optional<LiveObject>& live, const RemovalChoices& choices);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_REMOVAL_H_
