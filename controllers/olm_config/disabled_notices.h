// The Events that tell users that operators are not copied to their namespaces (R-004-29). Lives on
// one executor.
#ifndef CONTROLLERS_OLM_CONFIG_DISABLED_NOTICES_H_
#define CONTROLLERS_OLM_CONFIG_DISABLED_NOTICES_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/parallel_writer.h"
#include "kube/client/client.h"
#include "olm/copy/slot.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {

struct Notice {
  ObjectReference about;
  std::string message;
};

// The wanted notices: one for each namespace in which an operator for all namespaces works without
// being copied there, and one for each such operator. None while copies are made. Takes time in
// proportion to the namespaces and the operators.
std::vector<Notice> NoticesFor(const storage::OperatorWorld& world, const olm::CopyPolicy& policy);

// Writes each notice as a Warning Event with the reason DisabledCopiedCSVs. Does not use the
// EventRecorder, because thousands come at once, each only once, and they are deleted when copies
// are made again. An Event's name is derived from its object, so two processes never write the same
// Event twice.
class DisabledNotices {
 public:
  // REQUIRES: the references outlive this object and its calls.
  DisabledNotices(kube::Client& client, const Leadership& leadership, Clock& clock)
      : client_(client), clock_(clock), writer_(leadership, clock) {}

  // Makes the cluster's Events of that reason equal to `wanted`: reads all, creates missing ones,
  // and deletes other Events that this controller or olm-operator wrote, and duplicates about one
  // object. Skips an Event that the cluster refuses. Errors: the list failed, or a write failed
  // that may succeed later.
  StatusTask Bring(std::vector<Notice> wanted);

 private:
  struct Written;

  Task<std::vector<Written>> ReadAll();

  kube::Client& client_;
  Clock& clock_;
  ParallelWriter writer_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OLM_CONFIG_DISABLED_NOTICES_H_
