// The objects that an executor writes, made of a bundle's manifests. Pure functions.
#ifndef OLM_PLAN_STEP_OBJECT_H_
#define OLM_PLAN_STEP_OBJECT_H_

#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::olm {

// The ClusterServiceVersion that owns what its bundle brings.
struct StepOwner {
  kube::NamespacedName csv;
  std::string uid;  // "" where the object names no owner (the ClusterServiceVersion itself)
};

// Makes `manifest` the object of a step: what its author must not decide is dropped (status; all
// metadata but name, labels and annotations; so finalizers and owner references; Steward's own
// labels and annotations, `steward.operatorframework.io/…` and `steward.operators.coreos.com/…`;
// the labels and annotations by which OLM keeps its books, such as olm.copiedFrom, olm.owner,
// olm.operatorGroup and operatorframework.io/installed-alongside-…), and `olm.managed: "true"` is
// added. `ns` is the plan's namespace for a namespaced kind, whatever the manifest says, and "" for
// a cluster-scoped one. Namespaced objects get an owner reference to `owner` (neither controller
// nor blocking), others its labels (olm.owner, olm.owner.kind, olm.owner.namespace), where it has a
// UID. Roles and RoleBindings that a ClusterServiceVersion's permissions have made bear those
// labels, too, and keep them where they name `owner`: they are the ones that are copied to where
// the operator works. A Secret's stringData becomes data; of a ConfigMap and a Secret an annotation
// says which keys are the manifest's (ManifestKeys). A manifest without a name but with a
// generateName gets one that follows from it and from the owner, so that to make it twice makes one
// object. kInvalidArgument: no object, no kind, no name, metadata of a wrong type.
absl::StatusOr<boost::json::object> StepObject(const boost::json::object& manifest,
                                               const kube::GroupVersionKind& gvk,
                                               const std::string& ns, const StepOwner& owner);

// The labels that say whose an object is (olm.owner, olm.owner.kind, olm.owner.namespace). None
// where the ClusterServiceVersion's name is too long for a label: then they would be refused.
boost::json::object OwnerLabels(const kube::NamespacedName& csv);

// The keys that the manifest of a ConfigMap or Secret has brought, by the annotation that
// StepObject puts there: an upgrade drops these, not the keys that somebody has added. Empty where
// there is no such annotation. A bundle's own annotation of that name is dropped.
inline constexpr char kManifestKeys[] = "operatorframework.io/installed-keys";
std::set<std::string> ManifestKeys(const boost::json::object& object);

// Erases the labels by which OLM keeps its books.
void DropBooks(boost::json::object& labels);

}  // namespace steward::olm

#endif  // OLM_PLAN_STEP_OBJECT_H_
