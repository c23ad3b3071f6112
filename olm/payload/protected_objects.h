// The objects that no payload may name. Pure functions.
#ifndef OLM_PAYLOAD_PROTECTED_OBJECTS_H_
#define OLM_PAYLOAD_PROTECTED_OBJECTS_H_

#include <optional>
#include <string>
#include <string_view>

#include "olm/payload/payload.h"

namespace steward::olm {

// The reason why a manifest for this object is a fault of its payload, whether it applies or
// deletes; nullopt = no fault. A payload must not name Steward's own objects: its namespace and
// everything in it (record, Leases, accounts), steward-* objects that are cluster-scoped or in
// kube-system, its APIs, and bindings for its accounts. Nor may a payload delete the namespaces
// that a cluster needs.
std::optional<std::string> ReasonNotToName(const PayloadManifest& manifest,
                                           std::string_view record_namespace);

// True for the definition of one of OLM's kinds: deleting it would delete every operator of a
// cluster.
bool DefinesOlm(const PayloadIdentity& identity);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_PROTECTED_OBJECTS_H_
