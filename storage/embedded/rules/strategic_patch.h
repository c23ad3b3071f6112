// Kubernetes' strategic merge patch, for all kinds but custom resources. A pure function.
#ifndef STORAGE_EMBEDDED_RULES_STRATEGIC_PATCH_H_
#define STORAGE_EMBEDDED_RULES_STRATEGIC_PATCH_H_

#include <boost/json/object.hpp>

#include "absl/status/status.h"
#include "kube/meta/resource_type.h"

namespace steward::storage {

// Objects merge, null deletes, lists are replaced, except that metadata.finalizers is a set,
// metadata.ownerReferences merges by uid, and so do status.conditions of Namespaces, Services and
// PodDisruptionBudgets (by type), spec.ports of Services (by port) and secrets of ServiceAccounts
// (by name). Directives: `$patch` (replace, delete) in objects and in
// the elements of merged lists, `$retainKeys`, `$setElementOrder/<list>` for merged lists,
// `$deleteFromPrimitiveList/<list>`. No key that the patch adds to `target` starts with "$".
//
// Returns a 400 for unknown and malformed directives (Kubernetes has 500 for most), in Kubernetes'
// words; `target` is then meaningless.
// Source: k8s.io/apimachinery/pkg/util/strategicpatch; the order of a merged list is that of
// git.k8s.io/design-proposals-archive/cli/preserve-order-in-strategic-merge-patch.md.
absl::Status ApplyStrategicPatch(const kube::ResourceType& type, const boost::json::object& patch,
                                 boost::json::object& target);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_STRATEGIC_PATCH_H_
