// Makes the objects that an executor writes from a bundle's manifests. Pure functions.
#ifndef OLM_PLAN_STEP_OBJECT_H_
#define OLM_PLAN_STEP_OBJECT_H_

#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::olm {

// The ClusterServiceVersion that owns the objects of its bundle.
struct StepOwner {
  kube::NamespacedName csv;
  std::string uid;  // "" if the object is the ClusterServiceVersion itself: it gets no owner
};

// Makes the object of a step from `manifest`. Drops what the author must not decide (status; all
// metadata except name, labels and annotations, so also finalizers and owner references; Steward's
// own labels and annotations, `steward.operatorframework.io/…` and
// `steward.operators.coreos.com/…`; the labels and annotations by which OLM keeps its books, such
// as olm.copiedFrom, olm.owner, olm.operatorGroup and operatorframework.io/installed-alongside-…),
// and adds `olm.managed: "true"`. `ns` is the plan's namespace for a namespaced kind, whatever the
// manifest says, and "" for a cluster-scoped one. If `owner` has a UID, namespaced objects get an
// owner reference to `owner` (neither controller nor blocking), and cluster-scoped objects get its
// OwnerLabels. Roles and RoleBindings that were made of a ClusterServiceVersion's permissions keep
// these labels if they name `owner`, because such objects are copied to the namespaces where the
// operator works. A Secret's stringData becomes data. A ConfigMap or Secret gets an annotation with
// the keys of the manifest (ManifestKeys). A manifest with generateName instead of a name gets a
// name derived from generateName and the owner, so making the object twice gives one object.
// kInvalidArgument: no metadata, no kind, no name, metadata of a wrong type.
absl::StatusOr<boost::json::object> StepObject(const boost::json::object& manifest,
                                               const kube::GroupVersionKind& gvk,
                                               const std::string& ns, const StepOwner& owner);

// The labels that name an object's owner (olm.owner, olm.owner.kind, olm.owner.namespace). Empty if
// the ClusterServiceVersion's name is not a valid label value, because a server would refuse the
// labels.
boost::json::object OwnerLabels(const kube::NamespacedName& csv);

// The keys of a ConfigMap or Secret that came from the manifest, by the annotation that StepObject
// sets. An upgrade drops only these keys, not keys that somebody added. Empty without the
// annotation. StepObject drops an annotation of this name in a bundle's manifest.
inline constexpr char kManifestKeys[] = "operatorframework.io/installed-keys";
std::set<std::string> ManifestKeys(const boost::json::object& object);

// Erases the labels with which OLM keeps its books, such as olm.owner and olm.managed.
void DropBooks(boost::json::object& labels);

}  // namespace steward::olm

#endif  // OLM_PLAN_STEP_OBJECT_H_
