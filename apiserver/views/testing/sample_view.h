// The virtual resource samples, the smallest possible view, to be served beside the others in
// tests. Thread-safe.
#ifndef APISERVER_VIEWS_TESTING_SAMPLE_VIEW_H_
#define APISERVER_VIEWS_TESTING_SAMPLE_VIEW_H_

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "storage/world/world_store.h"

namespace steward::views {

// There is one sample for each ClusterServiceVersion that is no copy. It shows the phase.
class Samples {
 public:
  // REQUIRES: `worlds` outlives this object.
  Samples(storage::WorldStore& worlds, VirtualResourceOptions options);

  // The result refers to this object.
  rest::Resource Resource();

 private:
  VirtualResource reads_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_TESTING_SAMPLE_VIEW_H_
