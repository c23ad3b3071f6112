// How the sources of kOperatorSources are read from the cluster. A pure function.
#ifndef STORAGE_OPERATORS_WATCHED_OPERATORS_H_
#define STORAGE_OPERATORS_WATCHED_OPERATORS_H_

#include <vector>

#include "storage/reflector/world_feed.h"

namespace steward::storage {

// The sources of kOperatorSources, for a WorldFeed. OLM's two kinds may be absent; every cluster
// has namespaces. Objects with the label olm.copiedFrom are never requested, so copies cost nothing
// here.
std::vector<WatchedSource> WatchedOperators();

}  // namespace steward::storage

#endif  // STORAGE_OPERATORS_WATCHED_OPERATORS_H_
