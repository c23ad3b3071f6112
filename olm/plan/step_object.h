// The objects that an executor writes, made of a bundle's manifests. Pure functions.
#ifndef OLM_PLAN_STEP_OBJECT_H_
#define OLM_PLAN_STEP_OBJECT_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
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
// the labels and annotations by which OLM keeps its books, such as olm.copiedFrom, olm.owner and
// olm.operatorGroup), and `olm.managed: "true"` is added. `ns` is the plan's namespace for a
// namespaced kind, whatever the manifest says, and "" for a cluster-scoped one. Namespaced objects
// get an owner reference to `owner` (neither controller nor blocking), others its labels
// (olm.owner, olm.owner.kind, olm.owner.namespace), where it has a UID. A manifest without a name
// but with a generateName gets one that follows from it and from the owner, so that to make it
// twice makes one object. kInvalidArgument: no object, no kind, no name, metadata of a wrong type.
absl::StatusOr<boost::json::object> StepObject(const boost::json::object& manifest,
                                               const kube::GroupVersionKind& gvk,
                                               const std::string& ns, const StepOwner& owner);

// Takes from `wanted` what makes it the operator's where `live` bears no sign of OLM (olm.managed):
// owner references, and the labels of OLM's books. What somebody else has made is changed as the
// manifest says, but does not go with the operator.
void Disown(const boost::json::object& live, boost::json::object& wanted);

// The object that replaces `live` where a manifest asks for `wanted` (the result of StepObject): of
// the live one it keeps UID, resourceVersion, finalizers and status, and its labels, annotations
// and owner references where `wanted` does not say otherwise.
boost::json::object Adopt(const boost::json::object& live, boost::json::object wanted);

// Adopt for a CustomResourceDefinition: its conversion stays where `wanted` says nothing of one.
// OLM puts webhooks there, and without them objects of one version would be read as another's.
boost::json::object AdoptDefinition(const boost::json::object& live, boost::json::object wanted);

// Adopt for a ServiceAccount: its secrets and imagePullSecrets stay, too.
boost::json::object AdoptServiceAccount(const boost::json::object& live,
                                        boost::json::object wanted);

// True if `wanted` (of Adopt) is what `live` is. What a server has filled in makes a difference; a
// write of such a `wanted` changes nothing.
bool IsUnchanged(const boost::json::object& live, const boost::json::object& wanted);

}  // namespace steward::olm

#endif  // OLM_PLAN_STEP_OBJECT_H_
