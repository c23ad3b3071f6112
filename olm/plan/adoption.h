// How a step of a plan changes an object that exists already; the rules for each kind are here
// only. Pure functions.
#ifndef OLM_PLAN_ADOPTION_H_
#define OLM_PLAN_ADOPTION_H_

#include <boost/json/object.hpp>

namespace steward::olm {

// If `live` has no mark of OLM (olm.managed, or a ClusterServiceVersion as its owner), removes from
// `wanted` the owner references and the labels of DropBooks. So an object that somebody else made
// is changed as the manifest says, but is not deleted with the operator.
void Disown(const boost::json::object& live, boost::json::object& wanted);

// Returns the object that replaces `live` if a manifest asks for `wanted` (the result of
// StepObject, of the same kind). The result is `wanted`, plus these parts of `live`:
//
//   every kind                UID, resourceVersion, finalizers and status; labels, annotations and
//                             owner references that others have set
//   CustomResourceDefinition  its conversion: OLM puts webhooks there, and without them objects of
//                             one version would be read as another's
//   ServiceAccount            its secrets, imagePullSecrets and automountServiceAccountToken
//   ConfigMap, Secret         keys that no manifest has brought (ManifestKeys); type, immutable
//   Service                   what the cluster has given: its addresses and their families, the
//                             nodePorts of ports that stay, healthCheckNodePort, loadBalancerClass
//   ClusterRole               the rules that an aggregation has gathered
boost::json::object Adopt(const boost::json::object& live, boost::json::object wanted);

// True if `wanted` (of Adopt) equals `live`. False if they differ only in defaults that the server
// filled in, although writing such a `wanted` changes nothing.
bool IsUnchanged(const boost::json::object& live, const boost::json::object& wanted);

// The JSON merge patch that makes `live` equal to `wanted` (of Adopt). The patch has live's
// resourceVersion, so it fails if the object has changed since. Empty if only fields differ that a
// patch leaves out: status, and metadata except labels, annotations and owner references.
boost::json::object AdoptionPatch(const boost::json::object& live,
                                  const boost::json::object& wanted);

}  // namespace steward::olm

#endif  // OLM_PLAN_ADOPTION_H_
