#include "olm/payload/removal.h"

#include <utility>

namespace steward::olm {
namespace {

Removal At(Removal removal, RemovalState state, absl::Time now, std::string note = "") {
  if (removal.state != state) removal.since = now;
  removal.state = state;
  removal.note = std::move(note);
  return removal;
}

// Begins to delete the object, for the first time or again.
RemovalDecision Begin(const PayloadIdentity& identity, const LiveObject& live,
                      const RemovalChoices& choices) {
  RemovalDecision decision;
  Removal removal;
  removal.identity = identity;
  removal.uid = live.uid;
  removal.removes = true;
  removal.since = choices.now;
  removal.version = choices.version;
  decision.removal = std::move(removal);
  // Only follow an object that somebody else has deleted.
  decision.deletes = !live.deleting;
  if (live.deleting) decision.removal->state = RemovalState::kOngoing;
  return decision;
}

RemovalDecision WhereAbsent(const PayloadIdentity& identity, const std::optional<Removal>& known,
                            const RemovalChoices& choices) {
  if (known && known->state == RemovalState::kCompleted) return {known};
  if (known) return {At(*known, RemovalState::kCompleted, choices.now)};
  Removal removal;
  removal.identity = identity;
  removal.state = RemovalState::kCompleted;
  removal.since = choices.now;
  removal.version = choices.version;
  removal.note = "not found: it was removed before, or never there";
  return {std::move(removal)};
}

}  // namespace

std::string_view NameOf(PayloadState state) {
  switch (state) {
    case PayloadState::kInitializing:
      return "Initializing";
    case PayloadState::kUpdating:
      return "Updating";
    case PayloadState::kReconciling:
      return "Reconciling";
  }
  return "";
}

std::string_view NameOf(RemovalState state) {
  switch (state) {
    case RemovalState::kInitiated:
      return "Initiated";
    case RemovalState::kOngoing:
      return "Ongoing";
    case RemovalState::kCompleted:
      return "Completed";
    case RemovalState::kReappeared:
      return "Reappeared";
    case RemovalState::kFailed:
      return "Failed";
  }
  return "";
}

RemovalDecision DecideRemoval(const PayloadIdentity& identity, const std::optional<Removal>& known,
                              const std::optional<LiveObject>& live,
                              const RemovalChoices& choices) {
  if (!live) return WhereAbsent(identity, known, choices);
  const bool updating = choices.state == PayloadState::kUpdating;
  if (!known) return updating ? Begin(identity, *live, choices) : RemovalDecision();
  // The object may have seemed gone while its kind was not served for a while.
  const bool gone = known->state == RemovalState::kCompleted && known->removes;
  if ((known->holds() || gone) && known->uid == live->uid && live->deleting) {
    return {At(*known, RemovalState::kOngoing, choices.now)};
  }
  if (known->holds() && known->uid == live->uid) {
    // Repeat a deletion that has begun: while updating, and while reconciling with `redelete`.
    return {known, updating || (choices.redelete && choices.state == PayloadState::kReconciling)};
  }
  // Another object has the name, so the object that was deleted is gone. Delete "again" only if one
  // was deleted before.
  if (choices.redelete && known->removes && choices.state != PayloadState::kInitializing) {
    return Begin(identity, *live, choices);
  }
  Removal removal = *known;
  if (removal.state == RemovalState::kReappeared && removal.uid == live->uid) return {removal};
  removal.uid = live->uid;
  removal.state = RemovalState::kReappeared;
  removal.since = choices.now;
  removal.note = "an object of this name came back after the deletion; it is not deleted";
  return {removal};
}

}  // namespace steward::olm
