// Watches of the metadata of objects of any type, shared by users and open only while they are
// needed. Live on one executor.
#ifndef CONTROLLERS_RUNTIME_METADATA_METADATA_WATCH_H_
#define CONTROLLERS_RUNTIME_METADATA_METADATA_WATCH_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "controllers/runtime/metadata/metadata_informer.h"
#include "kube/client/client.h"
#include "kube/client/object_meta.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct MetadataSelection {
  kube::GroupVersionResource gvr;
  std::string label_selector;
  std::string field_selector;
  // nullopt: the whole cluster, with cluster-scoped objects.
  std::optional<std::set<std::string>> namespaces;
  // False: no objects are held, so it costs no memory however many objects there are.
  bool hold = true;
};

// One user's selection of objects. Tells when to look, and can be shown to users, but proves
// nothing: it may lag behind the cluster, and lacks objects beyond
// MetadataWatchesOptions::max_objects. Watching ends when this object is destroyed.
class MetadataWatch {
 public:
  ~MetadataWatch();
  MetadataWatch(const MetadataWatch&) = delete;
  MetadataWatch& operator=(const MetadataWatch&) = delete;

  // True when a complete list of every part of the selection has been seen. A type that the cluster
  // does not have is empty and complete.
  bool synced() const;
  // The reason why the objects may be stale at this moment; OK while all streams run.
  absl::Status health() const;
  // True when there are more objects than this watch holds.
  bool truncated() const;
  // The number of streams that serve this watch, including shared ones.
  size_t streams() const { return parts_.size(); }
  // The objects of the selection, by namespace and name.
  size_t size() const;
  void ForEach(const std::function<void(const kube::ObjectMeta&)>& visit) const;
  // Null when the object is not held.
  const kube::ObjectMeta* Find(const kube::NamespacedName& name) const
      ABSL_ATTRIBUTE_LIFETIME_BOUND;

 private:
  friend class MetadataWatches;
  struct Part {
    std::shared_ptr<MetadataInformer> informer;
    MetadataInformer::UserId user;
  };
  explicit MetadataWatch(std::optional<std::set<std::string>> namespaces)
      : namespaces_(std::move(namespaces)) {}
  bool Selects(const kube::NamespacedName& name) const;

  const std::optional<std::set<std::string>> namespaces_;
  std::vector<Part> parts_;
};

struct MetadataWatchesOptions {
  // The limit of objects that one informer holds. Further objects are not held, and the watch is
  // truncated() until a new list has fewer.
  size_t max_objects = 50'000;
  // A selection of at most this many namespaces gets a list and a watch for each; a larger one
  // shares a single cluster-wide pair, of which only the selected namespaces' objects are held.
  size_t max_separate_namespaces = 3;
};

// The informers of all watches. Users with equal needs share informers; an informer runs while it
// has users.
class MetadataWatches {
 public:
  // REQUIRES: the references outlive this object.
  MetadataWatches(kube::Client& client, Clock& clock, Random& random,
                  boost::asio::any_io_executor executor, MetadataWatchesOptions options = {});
  // REQUIRES: stopped, and every watch is gone.
  ~MetadataWatches();

  // Returns at once. `callbacks` are called from now on, but never within this call, until the
  // watch is destroyed. They may destroy the watch. If a shared informer holds objects already,
  // they are in the watch at once.
  std::unique_ptr<MetadataWatch> Open(MetadataSelection selection, MetadataCallbacks callbacks);

  // The number of streams that a watch of `selection` would have.
  size_t StreamsOf(const MetadataSelection& selection) const;

  // Ends every informer; watches keep their present state from then on.
  VoidTask Stop();

  // The number of running informers.
  size_t running() const;

 private:
  bool IsSeparate(const MetadataSelection& selection) const;
  std::shared_ptr<MetadataInformer> InformerOf(const MetadataScope& scope);

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const MetadataWatchesOptions options_;
  TaskGroup tasks_;
  std::map<MetadataScope, std::weak_ptr<MetadataInformer>> informers_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_METADATA_METADATA_WATCH_H_
