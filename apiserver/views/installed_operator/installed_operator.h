// The virtual resource installedoperators: the operators that watch a namespace, computed on each
// read and stored nowhere. Thread-safe.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_

#include <memory>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "storage/world/world_store.h"

namespace steward::views {

// Memory per read is O(operators).
class InstalledOperators : public rest::BlobGetter {
 public:
  explicit InstalledOperators(storage::WorldStore& worlds, VirtualResourceOptions options = {});

  // The result refers to this object.
  rest::Resource Resource();

  VirtualResource& reads() { return reads_; }
  // Returns the operator's icon, from spec.icon[0]. Errors are those of reads.
  Task<rest::Blob> GetBlob(const kube::NamespacedName& name) override;

 private:
  storage::WorldStore& worlds_;
  VirtualResource reads_;
};

std::shared_ptr<const Projection> MakeInstalledOperatorProjection();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_
