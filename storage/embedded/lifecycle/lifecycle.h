// The controllers of a Kubernetes control plane that act on stored objects: they delete the
// contents of deleted Namespaces and definitions, and honour owner references. Not thread-safe.
#ifndef STORAGE_EMBEDDED_LIFECYCLE_LIFECYCLE_H_
#define STORAGE_EMBEDDED_LIFECYCLE_LIFECYCLE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "storage/embedded/lifecycle/owner_rules.h"
#include "storage/embedded/operations/write_operations.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

// Derives its whole state from the stored objects. So after a crash between two steps, the next
// start only has to look at all objects again. Each step checks and acts in one transaction.
//
// - For a Namespace that is being deleted, its objects are deleted. When the last object is gone
//   (finalizers may hold it), the finalizer "kubernetes" is removed, and with it the Namespace.
// - For a definition that is being deleted, its objects likewise.
// - Owner references are handled as by Kubernetes' garbage collector: an object all of whose owners
//   are gone is deleted; foreground deletion waits for dependents that block it; orphaning removes
//   the references. An owner of a kind that is not served counts as alive.
//
// Run is called once.
class Lifecycle {
 public:
  // REQUIRES: the arguments outlive Run.
  Lifecycle(Store& store, Clock& clock, ContextSource context);

  // Runs until cancelled. Failures are logged, and their steps repeated a second later.
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
  // Objects that are being deleted and wait for others.
  std::set<std::string> namespaces_;
  std::set<std::string> definitions_;
  std::set<ObjectKey> releasing_;  // marked, with a finalizer of the garbage collector
  std::set<ObjectKey> suspects_;   // objects whose owner references have to be checked
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LIFECYCLE_LIFECYCLE_H_
