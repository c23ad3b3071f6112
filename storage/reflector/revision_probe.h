// Learns the cluster's current revision. Ask is thread-safe; Run lives on one executor.
#ifndef STORAGE_REFLECTOR_REVISION_PROBE_H_
#define STORAGE_REFLECTOR_REVISION_PROBE_H_

#include <atomic>

#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward::storage {

// Every read of a virtual resource calls Ask. The probe makes one tiny list for all calls within
// kPeriod. No read waits for the list, but its revision raises the clock of the numbers of later
// reads.
class RevisionProbe {
 public:
  static constexpr absl::Duration kPeriod = absl::Milliseconds(50);

  // REQUIRES: the arguments outlive Run.
  RevisionProbe(kube::Client& client, Clock& clock, WorldStore& worlds)
      : client_(client), clock_(clock), worlds_(worlds) {}

  // Thread-safe. Costs next to nothing if an earlier Ask is not answered yet.
  void Ask();

  // Runs until cancelled. A failure has no consequence: the next question makes another try.
  VoidTask Run();

 private:
  kube::Client& client_;
  Clock& clock_;
  WorldStore& worlds_;
  std::atomic<bool> asked_{false};
  Broadcast question_;
};

}  // namespace steward::storage

#endif  // STORAGE_REFLECTOR_REVISION_PROBE_H_
