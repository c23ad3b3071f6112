// A CleanupStatus in each of its written forms. Immutable.
#ifndef APISERVER_VIEWS_CLEANUP_STATUS_OBJECT_H_
#define APISERVER_VIEWS_CLEANUP_STATUS_OBJECT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "base/clock/clock.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "olm/cleanup/outlook.h"

namespace steward::views {

// An outlook as shown to users who may read in the ClusterServiceVersion's namespace: objects of
// other namespaces are counted and not named.
class CleanupStatusObject : public rest::Object {
 public:
  // `clock`, for the age in tables, outlives the object.
  CleanupStatusObject(std::shared_ptr<const olm::CleanupOutlook> outlook, const Clock& clock)
      : outlook_(std::move(outlook)), clock_(clock) {}

  std::string_view ns() const override { return outlook_->key.ns; }
  std::string_view name() const override { return outlook_->key.name; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  void AppendCells(std::string& out) const override;

 private:
  void AppendStatus(std::string& out) const;

  const std::shared_ptr<const olm::CleanupOutlook> outlook_;
  const Clock& clock_;
};

// An object whose name alone is known, reported as deleted.
std::unique_ptr<const rest::Object> CleanupStatusTombstone(kube::NamespacedName key);

// The columns that AppendCells fills.
std::vector<rest::Column> CleanupStatusColumns();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_CLEANUP_STATUS_OBJECT_H_
