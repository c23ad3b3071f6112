// Following objects of any type by their metadata, for as long as somebody needs it.
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

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "controllers/runtime/metadata/metadata_informer.h"
#include "controllers/runtime/metadata/object_metadata.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct MetadataSelection {
  kube::GroupVersionResource gvr;
  std::string label_selector;
  // nullopt: all of the cluster, cluster-scoped objects too.
  std::optional<std::set<std::string>> namespaces;
  // False: nothing is held, so it costs no memory however many objects there are.
  bool hold = true;
};

// One user's view. It is a hint of when to look and a picture for people, never a proof: it may lag
// behind, and knows nothing of objects beyond the informers' bound. Ends with this object.
class MetadataWatch {
 public:
  ~MetadataWatch();
  MetadataWatch(const MetadataWatch&) = delete;
  MetadataWatch& operator=(const MetadataWatch&) = delete;

  // A complete list of every part of the selection has been seen. A type that the cluster does not
  // have is an empty one, complete.
  bool synced() const;
  // Why it may be stale at this moment; OK while all streams run.
  absl::Status health() const;
  // There are more objects than are held.
  bool truncated() const;
  // Watches that serve it, shared ones too.
  size_t streams() const { return parts_.size(); }
  // Objects of the selection, by namespace and name.
  size_t size() const;
  void ForEach(const std::function<void(const ObjectMetadata&)>& visit) const;
  // Null when it is not held.
  const ObjectMetadata* Find(const kube::NamespacedName& name) const;

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
  // Held by one informer. Beyond it objects are only known to be too many, until a new list has
  // fewer.
  size_t max_objects = 50'000;
  // A selection of so many namespaces or fewer gets a list and a watch for each; one of more shares
  // a single cluster-wide pair, of which only the selected namespaces' objects are held.
  size_t max_separate_namespaces = 3;
};

// Users with equal needs share informers; an informer runs while it has users. Lives on one
// executor, and so do the watches.
class MetadataWatches {
 public:
  // REQUIRES: the references outlive this object.
  MetadataWatches(kube::Client& client, Clock& clock, Random& random,
                  boost::asio::any_io_executor executor, MetadataWatchesOptions options = {});
  // REQUIRES: stopped, and every watch is gone.
  ~MetadataWatches();

  // Returns at once. `callbacks` come from now on, never within this call, until the watch is
  // destroyed, which they may do. What is held already is in the watch.
  std::unique_ptr<MetadataWatch> Open(MetadataSelection selection, MetadataCallbacks callbacks);

  // How many streams a watch of `selection` would have.
  size_t StreamsOf(const MetadataSelection& selection) const;

  // Ends every informer; watches stay as they are from then on.
  VoidTask Stop();

  // Informers that run.
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
