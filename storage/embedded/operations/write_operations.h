// The writing verbs, each within one transaction, on its thread.
#ifndef STORAGE_EMBEDDED_OPERATIONS_WRITE_OPERATIONS_H_
#define STORAGE_EMBEDDED_OPERATIONS_WRITE_OPERATIONS_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

// Returns fresh values for each try of a write.
using ContextSource = std::function<WriteContext()>;
// REQUIRES: both outlive the result.
ContextSource FreshContexts(Clock& clock, Random& random);

// Each verb returns the object that the API server would answer with, in the version of `gvr`.
// Errors carry a Kubernetes Status.
absl::StatusOr<boost::json::value> CreateObject(Transaction& transaction,
                                                const kube::GroupVersionResource& gvr,
                                                const std::string& ns,
                                                const boost::json::object& object,
                                                const kube::WriteOptions& options,
                                                const ContextSource& context);
absl::StatusOr<boost::json::value> UpdateObject(Transaction& transaction,
                                                const kube::GroupVersionResource& gvr,
                                                const kube::NamespacedName& name,
                                                const boost::json::object& object,
                                                const kube::WriteOptions& options,
                                                const ContextSource& context);
absl::StatusOr<boost::json::value> PatchObject(
    Transaction& transaction, const kube::GroupVersionResource& gvr,
    const kube::NamespacedName& name, kube::PatchType patch_type, const boost::json::value& patch,
    const kube::WriteOptions& options, const ContextSource& context);
absl::StatusOr<boost::json::value> DeleteObject(Transaction& transaction,
                                                const kube::GroupVersionResource& gvr,
                                                const kube::NamespacedName& name,
                                                const kube::DeleteOptions& options,
                                                const ContextSource& context);

// Like DeleteObject, for a kind that need not be served.
absl::StatusOr<boost::json::value> DeleteStored(Transaction& transaction,
                                                const kube::ResourceType& type,
                                                const kube::NamespacedName& name,
                                                const kube::DeleteOptions& options,
                                                const ContextSource& context);

// Removes the finalizer "kubernetes" from the spec of a Namespace that is being deleted and, when
// nothing else holds it, the Namespace.
absl::Status FinalizeNamespace(Transaction& transaction, const std::string& name);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_OPERATIONS_WRITE_OPERATIONS_H_
