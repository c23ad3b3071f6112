// The rules that apply to Namespaces alone. Stateless functions.
#ifndef STORAGE_EMBEDDED_OPERATIONS_NAMESPACE_RULES_H_
#define STORAGE_EMBEDDED_OPERATIONS_NAMESPACE_RULES_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

// Admits objects only in a namespace that exists (else 404) and is not being deleted (else 403 with
// the cause NamespaceTerminating).
absl::Status CheckNamespaceAdmits(Transaction& transaction, const kube::ResourceType& type,
                                  const std::string& ns, const std::string& name);

// Completes a new Namespace: phase Active, the finalizer "kubernetes" in its spec, and the label
// kubernetes.io/metadata.name.
void CompleteNamespace(boost::json::object& object);
// Restores spec.finalizers and the label kubernetes.io/metadata.name, which a client may not
// change.
void KeepNamespaceSpec(const boost::json::object& stored, boost::json::object& updated);

// True while the Namespace's spec has the finalizer "kubernetes", which stays until the namespace
// is empty.
bool HasNamespaceFinalizer(const boost::json::object& object);
void RemoveNamespaceFinalizer(boost::json::object& object);
void SetNamespaceTerminating(boost::json::object& object);

// Adds `finalizer` to the metadata of an object of any kind, unless it is there already.
void AddFinalizer(std::string_view finalizer, boost::json::object& object);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_OPERATIONS_NAMESPACE_RULES_H_
