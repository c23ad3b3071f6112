// Finds the namespaces whose Roles or RoleBindings must be looked at. Lives on one executor.
#ifndef CONTROLLERS_COPIED_RBAC_RBAC_WATCH_H_
#define CONTROLLERS_COPIED_RBAC_RBAC_WATCH_H_

#include <functional>
#include <map>
#include <string>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/names.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/object_facts.h"

namespace steward::controllers {

// Follows the metadata of all Roles or all RoleBindings that OLM or Steward made for a
// ClusterServiceVersion, originals and copies. Reports each change, unlike a MetadataWatch, because
// a change of rules changes no metadata that a MetadataWatch holds. Holds only the name of a copy
// and the value of its label.
class RbacWatch {
 public:
  struct Callbacks {
    // Called with the namespace of the originals. When a copy's label changed, called with both the
    // new and the former value.
    std::function<void(const std::string& source)> changed;
    // Called when a complete list has been applied: anything may have changed.
    std::function<void()> listed;
  };

  // REQUIRES: the references in `deps` outlive Run; the callbacks do not destroy this object.
  RbacWatch(const ReconcilerDeps& deps, olm::RbacKind kind, Callbacks callbacks);

  // Runs until cancelled.
  VoidTask Run();

  // The copies, with the namespaces that their labels name.
  const std::map<kube::NamespacedName, std::string>& copies() const { return copies_; }
  // The namespaces from which there are copies.
  void ForEachSource(const std::function<void(const std::string& source)>& visit) const;

 private:
  class Sink;
  using Sources = std::map<kube::NamespacedName, std::string>;  // by the copy's name

  void Tell(Sources& copies, const olm::ObjectFacts& object, bool gone);

  const ReconcilerDeps deps_;
  const olm::RbacKind kind_;
  const Callbacks callbacks_;
  Sources copies_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_WATCH_H_
