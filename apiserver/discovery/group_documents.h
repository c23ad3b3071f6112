// The documents that say which groups, versions and resources there are.
#ifndef APISERVER_DISCOVERY_GROUP_DOCUMENTS_H_
#define APISERVER_DISCOVERY_GROUP_DOCUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/resource.h"

namespace steward::discovery {

// What one version of a group serves; resources in the order they were given.
struct ServedVersion {
  std::string version;
  std::vector<const rest::Resource*> resources;
};

struct ServedGroup {
  std::string name;                     // "" = core
  std::vector<ServedVersion> versions;  // the first is the preferred one
};

// Groups in the order in which they first appear; versions as Kubernetes ranks them: stable before
// beta before alpha, then the higher number first, then names of any other form. Borrows
// `resources`.
std::vector<ServedGroup> GroupResources(const std::vector<rest::Resource>& resources);

// Where a version of a group is served: "apis/<group>/<version>", or "api/<version>" for core.
std::string ApiPath(std::string_view group, std::string_view version);

// Each is JSON on one line.
std::string ApiVersions(const ServedGroup& core);
// REQUIRES, as the next: not the core group, which is no APIGroup.
std::string ApiGroupList(const std::vector<ServedGroup>& groups);
std::string ApiGroup(const ServedGroup& group);
std::string ApiResourceList(const ServedGroup& group, const ServedVersion& version);
// Aggregated discovery (KEP-3352): everything about these groups at once. `version` is that of
// group apidiscovery.k8s.io, "v2" or "v2beta1".
std::string ApiGroupDiscoveryList(const std::vector<ServedGroup>& groups, std::string_view version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_GROUP_DOCUMENTS_H_
