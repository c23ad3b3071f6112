// How the sources of kPlanSources are read from the cluster. A pure function.
#ifndef STORAGE_PLANS_WATCHED_PLANS_H_
#define STORAGE_PLANS_WATCHED_PLANS_H_

#include <vector>

#include "storage/reflector/world_feed.h"

namespace steward::storage {

// The sources of kPlanSources, for a WorldFeed. OLM's InstallPlans and OperatorGroups may be
// absent; every cluster has CustomResourceDefinitions.
std::vector<WatchedSource> WatchedPlans();

}  // namespace steward::storage

#endif  // STORAGE_PLANS_WATCHED_PLANS_H_
