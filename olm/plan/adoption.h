// The outcome when a step of a plan brings an object that exists already, decided once for each
// kind. Pure functions.
#ifndef OLM_PLAN_ADOPTION_H_
#define OLM_PLAN_ADOPTION_H_

#include <boost/json/object.hpp>

namespace steward::olm {

// Takes from `wanted` the operator's marks of ownership where `live` bears no sign of OLM
// (olm.managed, or a ClusterServiceVersion as its owner): owner references, and the labels of OLM's
// books. An object that somebody else has made is changed as the manifest says, but does not go
// with the operator.
void Disown(const boost::json::object& live, boost::json::object& wanted);

// The object that replaces `live` where a manifest asks for `wanted` (the result of StepObject, of
// the same kind). It says what `wanted` says and nothing else, but for:
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

// True if `wanted` (of Adopt) is what `live` is. Defaults that a server has filled in make a
// difference; a write of such a `wanted` changes nothing.
bool IsUnchanged(const boost::json::object& live, const boost::json::object& wanted);

// The JSON merge patch that makes `live` what `wanted` (of Adopt) is, if the object has not changed
// since (metadata.resourceVersion). Empty where IsUnchanged, and where no more than what a server
// fills in differs at the top. Status and what the server keeps in metadata are left out.
boost::json::object AdoptionPatch(const boost::json::object& live,
                                  const boost::json::object& wanted);

}  // namespace steward::olm

#endif  // OLM_PLAN_ADOPTION_H_
