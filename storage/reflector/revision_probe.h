// The way to learn the cluster's present revision. Ask is thread-safe; Run lives on one executor.
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

// Every read that names no resourceVersion asks the probe, which makes one tiny list for all that
// ask within its period; no read waits for it. The revision raises the clock of the numbers that
// later reads carry.
class RevisionProbe {
 public:
  static constexpr absl::Duration kPeriod = absl::Milliseconds(50);

  // REQUIRES: the arguments outlive Run.
  RevisionProbe(kube::Client& client, Clock& clock, WorldStore& worlds)
      : client_(client), clock_(clock), worlds_(worlds) {}

  // Thread-safe; costs next to nothing while an earlier question is open.
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
