// The projection of CleanupStatuses (R-PRJ-06). Thread-safe.
#ifndef APISERVER_VIEWS_CLEANUP_STATUS_PROJECTION_H_
#define APISERVER_VIEWS_CLEANUP_STATUS_PROJECTION_H_

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/cleanup_status/object.h"
#include "apiserver/views/virtual_resource/map_projection.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/outlook.h"
#include "storage/cleanup/outlooks.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world.h"

namespace steward::views {

// Encodes outlooks as CleanupStatuses. `clock` outlives this object, and everything that it makes.
class CleanupStatusEncoder {
 public:
  using Object = CleanupStatusObject;

  explicit CleanupStatusEncoder(const Clock& clock) : clock_(&clock) {}

  static const kube::LabelMap& LabelsOf(
      const olm::CleanupOutlook& outlook ABSL_ATTRIBUTE_LIFETIME_BOUND) {
    return outlook.labels;
  }
  static const std::string& UidOf(
      const olm::CleanupOutlook& outlook ABSL_ATTRIBUTE_LIFETIME_BOUND) {
    return outlook.csv_uid;
  }
  CleanupStatusObject Encode(std::shared_ptr<const olm::CleanupOutlook> outlook) const {
    return CleanupStatusObject(std::move(outlook), *clock_);
  }
  std::unique_ptr<const rest::Object> Tombstone(kube::NamespacedName key) const {
    return CleanupStatusTombstone(std::move(key));
  }

 private:
  const Clock* clock_;
};

// There is one CleanupStatus for each ClusterServiceVersion that is no copy, in the same namespace.
// A change of one ClusterServiceVersion may change the outlook of any other. So Compare compares
// all outlooks of both Worlds, which CleanupOutlooks remembers.
class CleanupStatusProjection : public MapProjection<olm::CleanupOutlook, CleanupStatusEncoder> {
 public:
  // REQUIRES: both arguments outlive this object, and everything that it makes.
  CleanupStatusProjection(storage::CleanupOutlooks& outlooks, const Clock& clock)
      : MapProjection(CleanupStatusEncoder(clock)), outlooks_(outlooks) {}

  const storage::SourceSet& sources() const override { return storage::kOperatorSources; }
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window window, const rest::Selection& selection) const override;

 private:
  MapPtr MapOf(const storage::WorldPtr& world) const override { return outlooks_.Of(world); }

  storage::CleanupOutlooks& outlooks_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_CLEANUP_STATUS_PROJECTION_H_
