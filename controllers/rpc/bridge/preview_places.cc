#include "controllers/rpc/bridge/preview_places.h"

#include <utility>

#include "base/fairness/pool_metrics.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

constexpr int kRetrySeconds = 1;

}  // namespace

PreviewPlaces::PreviewPlaces(Clock& clock, const PreviewPlacesOptions& options)
    : max_wait_(options.max_wait),
      places_(clock, options.places, PoolMetrics::Pool()),
      pace_(clock, options.steps) {}

Task<PreviewPlaces::Place> PreviewPlaces::Enter(Requester requester) {
  Place place = co_await places_.Take(requester.user.name, max_wait_);
  if (place) co_return place;
  co_return kube::ToStatus(kube::TooManyRequests(
      "too many previews are being made, please try again later", kRetrySeconds));
}

std::function<VoidTask()> PreviewPlaces::PaceOf(const Requester& requester) {
  return [this, user = requester.user.name] { return pace_.Take(user); };
}

}  // namespace steward::rpc
