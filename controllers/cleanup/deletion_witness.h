// Observes in which mode ClusterServiceVersions are deleted. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_DELETION_WITNESS_H_
#define CONTROLLERS_CLEANUP_DELETION_WITNESS_H_

#include <map>
#include <optional>
#include <string>

#include "kube/client/object_meta.h"
#include "kube/meta/names.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// kubectl delete --cascade=orphan and =foreground each add a finalizer, which the garbage collector
// removes as soon as it has done its part. If no admission policy refuses such deletions, only an
// unbroken watch can tell the mode.
class DeletionWitness {
 public:
  // Called for each state of an opted-in object, and with null once it is gone. If `listed`, states
  // between the previous one and this one may be missing.
  void Note(const kube::NamespacedName& name, const kube::ObjectMeta* csv, bool listed);

  olm::DeletionMode ModeOf(const kube::NamespacedName& name, const std::string& uid) const;

 private:
  struct Seen {
    std::string uid;
    std::optional<olm::DeletionMode> mode;  // nullopt: it is not being deleted
  };
  std::map<kube::NamespacedName, Seen> seen_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_DELETION_WITNESS_H_
