// The server of a resource that is computed on each read from the World and stored nowhere: get,
// list in pages, and watch, on every replica with the same numbers. Thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_VIRTUAL_RESOURCE_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_VIRTUAL_RESOURCE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/virtual_resource/event_stream.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/snapshot_reader.h"
#include "kube/meta/names.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::views {

struct VirtualResourceOptions {
  // The time that a read waits for the first sync before it answers 503.
  absl::Duration sync_wait = absl::Seconds(1);
  // The time that a read waits for a resourceVersion that this replica has not reached before it
  // answers 504.
  absl::Duration version_wait = absl::Seconds(3);
  // Watches that request bookmarks get them at least this often.
  absl::Duration bookmark_period = absl::Minutes(1);
  // Called at the beginning of each read, and while a watch waits for a state that may not exist:
  // it makes the cluster's current revision known. May be null.
  std::function<void()> on_newest_read;
  // Called again and again with the state that a read or a watch waits for, to request it from the
  // cluster. May be null.
  OnAwaited on_awaited;
};

// The sentence for rest::Resource::where_to_write of `kinds` ("InstalledOperators") that are
// computed from objects of the kind `source` ("ClusterServiceVersion"): from the object `name`, or
// from any such object if `name` is empty.
std::string WhereToWrite(std::string_view kinds, std::string_view source,
                         const kube::NamespacedName& name);

// Each read is answered from one World alone. Errors: 404 NotFound; 503 before the first sync; 504
// for a resourceVersion that does not arrive in time; 410 Expired for a state that this replica
// does not know (any more); 400 for an invalid continue token. SnapshotReader::Read says what a
// resourceVersion of another API means.
class VirtualResource : public rest::Getter, public rest::Lister, public rest::Watcher {
 public:
  // REQUIRES: `worlds` outlives this object, and is of the projection's sources.
  VirtualResource(storage::WorldStore& worlds, std::shared_ptr<const Projection> projection,
                  kube::GroupVersionResource gvr, VirtualResourceOptions options);

  // Fills in the verbs, which refer to this object.
  void ServeIn(rest::Resource& resource);
  // The reader, for subresources.
  SnapshotReader& reader() { return reader_; }

  Task<rest::Reading> Get(const kube::NamespacedName& name,
                          const rest::ReadOptions& options) override;
  Task<rest::Reading> List(const rest::Selection& selection,
                           const rest::ReadOptions& options) override;
  Task<std::unique_ptr<rest::EventStream>> Watch(const rest::Selection& selection,
                                                 const rest::WatchOptions& options) override;

 private:
  const std::shared_ptr<const Projection> projection_;
  const kube::GroupVersionResource gvr_;
  storage::RewindCache past_;
  SnapshotReader reader_;
  const StreamContext streams_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_VIRTUAL_RESOURCE_H_
