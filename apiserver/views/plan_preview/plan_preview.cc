#include "apiserver/views/plan_preview/plan_preview.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "apiserver/views/plan_preview/object.h"
#include "apiserver/views/plan_preview/openapi/openapi.h"
#include "apiserver/views/plan_preview/projection.h"
#include "kube/meta/names.h"

namespace steward::views {
namespace {

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1", "PlanPreview"};
const kube::GroupVersionResource kResource = {"views.operators.coreos.com", "v1alpha1",
                                              "planpreviews"};
// The size limit of a create request, which may contain a bundle.
constexpr size_t kMaxBodyBytes = 3 << 20;

}  // namespace

PlanPreviews::PlanPreviews(storage::WorldStore& worlds, storage::PlanOutlooks& outlooks,
                           bool optional_manifests, const Clock& clock,
                           VirtualResourceOptions options)
    : reads_(worlds,
             std::make_shared<const PlanPreviewProjection>(outlooks, optional_manifests, clock),
             kResource, std::move(options)) {}

rest::Resource PlanPreviews::Resource(rest::Reviewer& creation) {
  rest::Resource resource;
  resource.descriptor.gvk = kKind;
  resource.descriptor.plural = kResource.resource;
  resource.descriptor.singular = "planpreview";
  resource.descriptor.short_names = {"ppv"};
  resource.descriptor.categories = {"olm"};
  resource.columns = PlanPreviewColumns();
  resource.openapi_schema = PlanPreviewSchema();
  reads_.ServeIn(resource);
  resource.review = &creation;
  resource.max_create_bytes = kMaxBodyBytes;
  resource.where_to_write = [](const kube::NamespacedName& name) {
    return WhereToWrite("PlanPreviews", "InstallPlan", name);
  };
  return resource;
}

}  // namespace steward::views
