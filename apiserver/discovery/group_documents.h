// The documents that list the served groups, versions and resources. Pure functions.
#ifndef APISERVER_DISCOVERY_GROUP_DOCUMENTS_H_
#define APISERVER_DISCOVERY_GROUP_DOCUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/resource/resource.h"

namespace steward::discovery {

// The resources of one version of a group, in the order they were given.
struct ServedVersion {
  std::string version;
  std::vector<const rest::Resource*> resources;
};

struct ServedGroup {
  std::string name;                     // "" = core
  std::vector<ServedVersion> versions;  // the first is the preferred one
};

// Groups in the order in which they first appear; versions in Kubernetes' ranking: stable before
// beta before alpha, then the higher number first, then names of any other form. The result refers
// to `resources`.
std::vector<ServedGroup> GroupResources(const std::vector<rest::Resource>& resources);

// The path of a version of a group: "apis/<group>/<version>", or "api/<version>" for core.
std::string ApiPath(std::string_view group, std::string_view version);

// Each document is JSON on one line.
std::string ApiVersions(const ServedGroup& core);
// REQUIRES for this and the next: not the core group, which is no APIGroup.
std::string ApiGroupList(const std::vector<ServedGroup>& groups);
std::string ApiGroup(const ServedGroup& group);
std::string ApiResourceList(const ServedGroup& group, const ServedVersion& version);
// Aggregated discovery (KEP-3352): all data of these groups in one document. `version` is that of
// group apidiscovery.k8s.io, "v2" or "v2beta1".
std::string ApiGroupDiscoveryList(const std::vector<ServedGroup>& groups, std::string_view version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_GROUP_DOCUMENTS_H_
