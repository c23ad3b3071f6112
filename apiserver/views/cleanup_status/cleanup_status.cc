#include "apiserver/views/cleanup_status/cleanup_status.h"

#include <memory>
#include <utility>

#include "apiserver/views/cleanup_status/object.h"
#include "apiserver/views/cleanup_status/openapi/openapi.h"
#include "apiserver/views/cleanup_status/projection.h"
#include "kube/meta/names.h"

namespace steward::views {
namespace {

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1", "CleanupStatus"};
const kube::GroupVersionResource kResource = {"views.operators.coreos.com", "v1alpha1",
                                              "cleanupstatuses"};

}  // namespace

CleanupStatuses::CleanupStatuses(storage::WorldStore& worlds, storage::CleanupOutlooks& outlooks,
                                 const Clock& clock, VirtualResourceOptions options)
    : reads_(worlds, std::make_shared<const CleanupStatusProjection>(outlooks, clock), kResource,
             std::move(options)) {}

rest::Resource CleanupStatuses::Resource(std::vector<rest::Subresource> subresources) {
  rest::Resource resource;
  resource.descriptor.gvk = kKind;
  resource.descriptor.plural = kResource.resource;
  resource.descriptor.singular = "cleanupstatus";
  resource.descriptor.short_names = {"cus"};
  resource.descriptor.categories = {"olm"};
  resource.columns = CleanupStatusColumns();
  resource.openapi_schema = CleanupStatusSchema();
  reads_.ServeIn(resource);
  resource.subresources = std::move(subresources);
  resource.where_to_write = [](const kube::NamespacedName& name) {
    return WhereToWrite("CleanupStatuses", "ClusterServiceVersion", name);
  };
  return resource;
}

}  // namespace steward::views
