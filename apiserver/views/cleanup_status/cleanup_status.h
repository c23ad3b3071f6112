// The virtual resource cleanupstatuses: the outlook or the progress of each operator's cleanup,
// computed on each read and stored nowhere. Thread-safe.
#ifndef APISERVER_VIEWS_CLEANUP_STATUS_CLEANUP_STATUS_H_
#define APISERVER_VIEWS_CLEANUP_STATUS_CLEANUP_STATUS_H_

#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "base/clock/clock.h"
#include "storage/cleanup/outlooks.h"
#include "storage/world/world_store.h"

namespace steward::views {

// Memory per read is O(operators).
class CleanupStatuses {
 public:
  // REQUIRES: the arguments outlive this object.
  CleanupStatuses(storage::WorldStore& worlds, storage::CleanupOutlooks& outlooks,
                  const Clock& clock, VirtualResourceOptions options = {});

  // The resource with `subresources`. The result refers to this object.
  rest::Resource Resource(std::vector<rest::Subresource> subresources = {});

  VirtualResource& reads() { return reads_; }

 private:
  VirtualResource reads_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_CLEANUP_STATUS_CLEANUP_STATUS_H_
