// The projection of PlanPreviews (R-PRJ-06). Thread-safe.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_PROJECTION_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_PROJECTION_H_

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/plan_preview/object.h"
#include "apiserver/views/virtual_resource/map_projection.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/preview/plan_outlook.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world.h"

namespace steward::views {

// Encodes outlooks as PlanPreviews. REQUIRES: `clock` outlives this object and its results.
class PlanPreviewEncoder {
 public:
  using Object = PlanPreviewObject;

  PlanPreviewEncoder(bool optional_manifests, const Clock& clock)
      : optional_manifests_(optional_manifests), clock_(&clock) {}

  static const kube::LabelMap& LabelsOf(
      const olm::PlanOutlook& outlook ABSL_ATTRIBUTE_LIFETIME_BOUND) {
    return outlook.plan->labels;
  }
  static const std::string& UidOf(const olm::PlanOutlook& outlook ABSL_ATTRIBUTE_LIFETIME_BOUND) {
    return outlook.plan->uid;
  }
  PlanPreviewObject Encode(std::shared_ptr<const olm::PlanOutlook> outlook) const {
    return PlanPreviewObject(std::move(outlook), optional_manifests_, *clock_);
  }
  std::unique_ptr<const rest::Object> Tombstone(kube::NamespacedName key) const {
    return PlanPreviewTombstone(std::move(key));
  }

 private:
  bool optional_manifests_;
  const Clock* clock_;
};

// There is one PlanPreview for each InstallPlan, in its namespace. A preview also depends on the
// definitions and on the OperatorGroups of its namespace. So two Worlds are compared by all of
// their outlooks, which are cached.
class PlanPreviewProjection : public MapProjection<olm::PlanOutlook, PlanPreviewEncoder> {
 public:
  // `optional_manifests` is the feature gate. REQUIRES: the other arguments outlive this object and
  // its results.
  PlanPreviewProjection(storage::PlanOutlooks& outlooks, bool optional_manifests,
                        const Clock& clock)
      : MapProjection(PlanPreviewEncoder(optional_manifests, clock)), outlooks_(outlooks) {}

  const storage::SourceSet& sources() const override { return storage::kPlanSources; }
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window window, const rest::Selection& selection) const override;

 private:
  MapPtr MapOf(const storage::WorldPtr& world) const override { return outlooks_.Of(world); }

  storage::PlanOutlooks& outlooks_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_PROJECTION_H_
