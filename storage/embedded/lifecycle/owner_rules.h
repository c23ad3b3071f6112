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

// Checks a dependent's owners: if one of them lives, references to those that do not are removed;
// if none does, the object is deleted.
absl::Status CollectDependent(Transaction& transaction, const ObjectKey& dependent,
                              const ContextSource& context);

// Releases an owner. If it is deleted in the foreground, its dependents are deleted, and when no
// dependent that blocks it is left, its finalizer is removed. If it is to orphan its dependents,
// their references to it are removed, and then its finalizer. Kubernetes removes that finalizer at
// once; here it stays as long as others hold the object, so that they see how it was deleted. True
// when nothing more is to be done for it.
absl::StatusOr<bool> ReleaseOwner(Transaction& transaction, const ObjectKey& owner,
                                  const ContextSource& context);

// Removes `finalizer` from an object, and also the object if it is being deleted and nothing else
// holds it.
absl::Status RemoveFinalizer(Transaction& transaction, const kube::ResourceType& type,
                             const std::string& key, std::string_view finalizer);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LIFECYCLE_OWNER_RULES_H_
