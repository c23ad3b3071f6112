// Judges whether an object of a payload is healthy. Pure functions.
#ifndef PAYLOAD_OBJECT_HEALTH_H_
#define PAYLOAD_OBJECT_HEALTH_H_

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "olm/payload/payload.h"

namespace steward::payload {

// Returns true for the kinds whose health an update waits for, as the cluster-version-operator
// does: definitions, Jobs, Deployments, DaemonSets and ClusterOperators.
bool HasHealth(const olm::PayloadIdentity& identity);

// Says what `live`, the object that was applied from the manifest, still lacks, like "1 of 2
// replicas is available". It returns "" for a healthy object: a definition is established, a Job is
// complete, a Deployment and a DaemonSet are available at their generation, a ClusterOperator is
// Available and reports the versions that its manifest names. kFailedPrecondition: the object
// cannot become healthy any more.
absl::StatusOr<std::string> LackOf(const olm::PayloadManifest& manifest,
                                   const boost::json::object& live);

}  // namespace steward::payload

#endif  // PAYLOAD_OBJECT_HEALTH_H_
