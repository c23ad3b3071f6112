// `kubectl steward remove`: Steward leaves a cluster, and nothing of it stays. Immutable.
#ifndef PLUGIN_REMOVAL_REMOVE_H_
#define PLUGIN_REMOVAL_REMOVE_H_

#include "absl/time/time.h"
#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

struct RemoveOptions {
  bool dry_run = false;
  bool release_opt_ins = false;
  absl::Duration timeout = absl::Minutes(10);  // for each of the waits
};

//   a cleanup waits, an operator is opted in, or somebody else's work lies in the namespace
//     ─► refused; nothing was changed
//   the controllers' replicas to 0, until their pods are gone; the guard's, which would make the
//   APIService again, among them
//   ─► a cleanup has begun meanwhile: the replicas are brought back, and the removal is refused
//   ─► the APIService, with which no namespace can be deleted while nobody serves it: it goes as
//      soon as the guard is told to stop, and again if the guard made it meanwhile
//   ─► the finalizers of opt-ins, if that was asked for, and those on operators' rights
//   ─► Steward's objects in the cluster, each on condition of its UID ─► the namespace
//
// Every step is read live and does nothing where it is done already, so that a command that was
// killed can be given again. OLM's objects, copies among them, and the payload's stay.
StatusTask Remove(Session& session, RemoveOptions options);

KnownCommand KnownRemove();

}  // namespace steward::plugin

#endif  // PLUGIN_REMOVAL_REMOVE_H_
