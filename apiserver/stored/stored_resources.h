// Resources whose objects a kube::Client stores, for the API server to serve. Thread-safe.
#ifndef APISERVER_STORED_STORED_RESOURCES_H_
#define APISERVER_STORED_STORED_RESOURCES_H_

#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/resource_type.h"

namespace steward::stored {

// Returns one resource for each type, in their order, with every verb but deletecollection and, if
// the type has it, the status subresource. Objects are passed on unchanged: nothing is converted or
// validated here. Each Resource owns its dependencies except `client` and `clock`, which outlive it
// and its answers.
std::vector<rest::Resource> StoredResources(kube::Client& client,
                                            const std::vector<kube::ResourceType>& types,
                                            const Clock& clock);

}  // namespace steward::stored

#endif  // APISERVER_STORED_STORED_RESOURCES_H_
