// What the controllers of a Kubernetes control plane do to stored objects: contents of deleted
// Namespaces and definitions go, and owner references are honoured.
#ifndef STORAGE_EMBEDDED_LIFECYCLE_H_
#define STORAGE_EMBEDDED_LIFECYCLE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "storage/embedded/owner_rules.h"
#include "storage/embedded/store.h"
#include "storage/embedded/write_operations.h"

namespace steward::storage {

// Everything is derived from what is stored: a crash between two steps costs nothing but a new look
// at everything at the next start. Each step checks and acts in one transaction.
//
// - A Namespace that is being deleted: its objects are deleted; when the last has gone (finalizers
//   hold them), the finalizer "kubernetes" and with it the Namespace.
// - A definition that is being deleted: its objects likewise.
// - Owner references as Kubernetes' garbage collector: an object all of whose owners are gone is
//   deleted; foreground deletion waits for dependents that block it; orphaning removes the
//   references. An owner of a kind that is not served is taken to be alive.
//
// Not thread-safe: Run is called once.
class Lifecycle {
 public:
  // REQUIRES: the arguments outlive Run.
  Lifecycle(Store& store, Clock& clock, ContextSource context);

  // Runs until cancelled. Failures are logged and tried again a second later.
  VoidTask Run();

 private:
  StatusTask Sweep();
  StatusTask SweepType(const kube::ResourceType& type, int64_t revision);
  StatusTask Follow();
  void Note(const std::string& resource, const std::string& key, const std::string& body);
  StatusTask NoteDependentsOf(const std::string& body);

  StatusTask Progress();
  StatusTask ClearNamespace(const std::string& name);
  StatusTask ClearDefinition(const std::string& name);
  StatusTask CollectSuspects();
  StatusTask ReleaseOwners();

  Store& store_;
  Clock& clock_;
  const ContextSource context_;

  bool swept_ = false;
  int64_t cursor_ = 0;
  // What is being deleted, and waits.
  std::set<std::string> namespaces_;
  std::set<std::string> definitions_;
  std::set<ObjectKey> releasing_;  // marked, with a finalizer of the garbage collector
  std::set<ObjectKey> suspects_;   // have owner references that are to be looked at
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LIFECYCLE_H_
