// The objects that no payload deletes. A pure function.
#ifndef OLM_PAYLOAD_PROTECTED_OBJECTS_H_
#define OLM_PAYLOAD_PROTECTED_OBJECTS_H_

#include <optional>
#include <string>
#include <string_view>

#include "olm/payload/payload.h"

namespace steward::olm {

// The reason why a delete manifest for this object is a fault of its payload; nullopt: it is none.
// A cluster does not lose the namespaces that it needs, and Steward neither its record of removals
// and what is beside it, nor what it reports, nor its own API.
std::optional<std::string> ReasonNotToDelete(const PayloadIdentity& identity,
                                             std::string_view record_namespace);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_PROTECTED_OBJECTS_H_
