// Which CleanupStatuses there are (R-PRJ-06).
#ifndef APISERVER_VIEWS_CLEANUP_STATUS_PROJECTION_H_
#define APISERVER_VIEWS_CLEANUP_STATUS_PROJECTION_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "apiserver/rest/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "storage/cleanup/outlooks.h"
#include "storage/world/world.h"

namespace steward::views {

// One for each ClusterServiceVersion that is no copy, in its namespace. What one says depends on
// all others, so that two Worlds are compared by their outlooks, all of them; those are remembered.
class CleanupStatusProjection : public Projection {
 public:
  // Both outlive it, and everything that it makes.
  CleanupStatusProjection(storage::CleanupOutlooks& outlooks, const Clock& clock)
      : outlooks_(outlooks), clock_(clock) {}

  std::unique_ptr<const rest::Object> Find(const storage::WorldPtr& world,
                                           const kube::NamespacedName& key) const override;
  std::unique_ptr<PageableCursor> List(storage::WorldPtr world, rest::Selection selection,
                                       std::optional<kube::NamespacedName> after) const override;
  Task<int64_t> Count(storage::WorldPtr world, std::string ns,
                      std::optional<kube::NamespacedName> after) const override;
  std::unique_ptr<Difference> Compare(Span span, rest::Selection selection) const override;
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window window, const rest::Selection& selection) const override;

 private:
  storage::CleanupOutlooks& outlooks_;
  const Clock& clock_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_CLEANUP_STATUS_PROJECTION_H_
