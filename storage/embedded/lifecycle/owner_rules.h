// The steps of garbage collection, each within one transaction, on its thread.
// Source: k8s.io/kubernetes/pkg/controller/garbagecollector.
#ifndef STORAGE_EMBEDDED_LIFECYCLE_OWNER_RULES_H_
#define STORAGE_EMBEDDED_LIFECYCLE_OWNER_RULES_H_

#include <boost/json/object.hpp>
#include <compare>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/embedded/operations/write_operations.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

struct ObjectKey {
  std::string resource;  // "widgets.example.com"
  std::string key;
  auto operator<=>(const ObjectKey&) const = default;
};

// True if the garbage collector has work to do before an object with this metadata may go.
bool NeedsRelease(const boost::json::object& metadata);

// Checks a dependent's owners. If no owner is alive, deletes the dependent. Else removes its
// references to owners that are gone.
absl::Status CollectDependent(Transaction& transaction, const ObjectKey& dependent,
                              const ContextSource& context);

// Releases an owner that is being deleted. Foreground: deletes the dependents, and removes the
// finalizer foregroundDeletion when no blocking dependent is left. Orphan: removes the dependents'
// references to the owner, and then the finalizer orphan. Kubernetes removes the finalizer at once.
// Here it stays as long as other finalizers hold the owner, so that their controllers see how it
// was deleted. Returns true if nothing more is to be done for the owner.
absl::StatusOr<bool> ReleaseOwner(Transaction& transaction, const ObjectKey& owner,
                                  const ContextSource& context);

// Removes `finalizer` from an object, and also the object if it is being deleted and nothing else
// holds it.
absl::Status RemoveFinalizer(Transaction& transaction, const kube::ResourceType& type,
                             const std::string& key, std::string_view finalizer);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LIFECYCLE_OWNER_RULES_H_
