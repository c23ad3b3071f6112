// The objects that no payload names. Pure functions.
#ifndef OLM_PAYLOAD_PROTECTED_OBJECTS_H_
#define OLM_PAYLOAD_PROTECTED_OBJECTS_H_

#include <optional>
#include <string>
#include <string_view>

#include "olm/payload/payload.h"

namespace steward::olm {

// The reason why a manifest for this object is a fault of its payload, whether it applies or
// deletes; nullopt: it is none. Nothing of Steward's own is named by a payload: its namespace and
// what lies in it (its record, Leases and accounts), objects of the cluster and of kube-system that
// are called steward-*, its APIs, and rights for its accounts. A payload does not delete the
// namespaces that a cluster needs either.
std::optional<std::string> ReasonNotToName(const PayloadManifest& manifest,
                                           std::string_view record_namespace);

// True for the definition of a kind of OLM's, with which every operator of a cluster would go.
bool DefinesOlm(const PayloadIdentity& identity);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_PROTECTED_OBJECTS_H_
