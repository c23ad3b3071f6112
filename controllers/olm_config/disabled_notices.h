// The Events that tell people that operators are not copied to their namespaces (R-004-29). Lives
// on one executor.
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

// The notices that there shall be: one for each namespace where an operator for all namespaces
// works and is not copied to, and one for each such operator; none while copies are made. Takes
// time in proportion to the namespaces and the operators.
std::vector<Notice> NoticesFor(const storage::OperatorWorld& world, const olm::CopyPolicy& policy);

// Writes each notice as a Warning Event with the reason DisabledCopiedCSVs, beside the recorder:
// thousands come at once, each just once, and they go when copies are made again. Events have names
// that follow from their objects, so that two processes never write one twice.
class DisabledNotices {
 public:
  // REQUIRES: the references outlive this object and its calls.
  DisabledNotices(kube::Client& client, const Leadership& leadership, Clock& clock)
      : client_(client), clock_(clock), writer_(leadership, clock) {}

  // Makes the cluster's Events of that reason those of `wanted`: reads all, creates what is
  // missing, and deletes others of them that this controller or olm-operator wrote, and second ones
  // about one object. An Event that the cluster refuses is left out. Errors: the list failed, or a
  // write did so that may succeed later.
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
