// Writes a PlanPreview in each of its forms. Immutable.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_OBJECT_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_OBJECT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "base/clock/clock.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "olm/preview/plan_outlook.h"

namespace steward::views {

// The preview of an InstallPlan, whose steps are computed whenever they are written. Beyond the
// InstallPlan it only reveals which APIs the cluster serves, which discovery shows to everybody.
class PlanPreviewObject : public rest::Object {
 public:
  // `optional_manifests` is the feature gate. REQUIRES: `clock`, used for the age in tables,
  // outlives the object.
  PlanPreviewObject(std::shared_ptr<const olm::PlanOutlook> outlook, bool optional_manifests,
                    const Clock& clock)
      : outlook_(std::move(outlook)), optional_manifests_(optional_manifests), clock_(clock) {}

  std::string_view ns() const override { return outlook_->plan->key.ns; }
  std::string_view name() const override { return outlook_->plan->key.name; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  void AppendCells(std::string& out) const override;

 private:
  void AppendStatus(std::string& out) const;

  const std::shared_ptr<const olm::PlanOutlook> outlook_;
  const bool optional_manifests_;
  const Clock& clock_;
};

// Returns an object of which only the name is known.
std::unique_ptr<const rest::Object> PlanPreviewTombstone(kube::NamespacedName key);

// The columns that AppendCells fills.
std::vector<rest::Column> PlanPreviewColumns();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_OBJECT_H_
