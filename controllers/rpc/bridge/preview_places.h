// Limits live previews, whose places users share fairly, and the pace of each user's dry runs.
// Thread-safe.
#ifndef CONTROLLERS_RPC_BRIDGE_PREVIEW_PLACES_H_
#define CONTROLLERS_RPC_BRIDGE_PREVIEW_PLACES_H_

#include <functional>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/fairness/fair_places.h"
#include "base/fairness/fair_pool.h"
#include "base/fairness/user_pace.h"
#include "controllers/rpc/bridge/requester.h"

namespace steward::rpc {

struct PreviewPlacesOptions {
  // The last of the eight places is reserved for a user who has none.
  FairPool::Limits places = {
      .places = 8, .places_per_flow = 2, .waiting_per_flow = 4, .waiting = 64, .reserve = true};
  // The wait is short, because the call has a deadline and the preview itself may need most of that
  // time.
  absl::Duration max_wait = absl::Seconds(3);
  UserPace::Limits steps;  // the pace of dry runs
};

// Users are distinguished by name, however many connections they have. REQUIRES: this object
// outlives its places.
class PreviewPlaces {
 public:
  using Place = FairPlaces::Place;

  // REQUIRES: `clock` outlives this object and its calls.
  PreviewPlaces(Clock& clock, const PreviewPlacesOptions& options);

  // Takes a place for one preview: at once, or when the requester's turn comes. The error is a 429
  // in Kubernetes' words, when too many wait already, or the turn does not come in time.
  Task<Place> Enter(Requester requester);

  // Returns a function that each dry run for this requester awaits.
  std::function<VoidTask()> PaceOf(const Requester& requester);

 private:
  const absl::Duration max_wait_;
  FairPlaces places_;
  UserPace pace_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_PREVIEW_PLACES_H_
