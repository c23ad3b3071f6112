// The virtual resource installedoperators: which operators watch a namespace, computed on each read
// and stored nowhere.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "apiserver/rest/resource.h"
#include "apiserver/rest/watcher.h"
#include "apiserver/views/installed_operator/event_stream.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::views {

struct InstalledOperatorOptions {
  // How long a read waits for the first sync before it answers 503.
  absl::Duration sync_wait = absl::Seconds(1);
  // How long a read waits for a resourceVersion that this replica has not reached before it answers
  // 504.
  absl::Duration version_wait = absl::Seconds(3);
  // Watches that ask for bookmarks get one at least so often.
  absl::Duration bookmark_period = absl::Minutes(1);
  // Told of each read that names no resourceVersion: it wants to know how new it is. May be null.
  std::function<void()> on_newest_read;
};

// Thread-safe. Reads take one World and answer from it alone: memory per read is O(operators).
// Errors: 404 NotFound; 503 before the first sync; 504 for a resourceVersion beyond what arrives in
// time; 410 Expired for a state that this replica does not know (any more); 400 for a number that
// is not one of ours.
class InstalledOperators : public rest::Getter,
                           public rest::Lister,
                           public rest::Watcher,
                           public rest::BlobGetter {
 public:
  explicit InstalledOperators(storage::WorldStore& worlds, InstalledOperatorOptions options = {});

  // Refers to this object.
  rest::Resource Resource();

  Task<rest::Reading> Get(const kube::NamespacedName& name,
                          const rest::ReadOptions& options) override;
  Task<rest::Reading> List(const rest::Selection& selection,
                           const rest::ReadOptions& options) override;
  Task<std::unique_ptr<rest::EventStream>> Watch(const rest::Selection& selection,
                                                 const rest::WatchOptions& options) override;
  // The operator's icon, from spec.icon[0].
  Task<rest::Blob> GetBlob(const kube::NamespacedName& name) override;

 private:
  // What a read answers from: a World, and the number that everything in it carries.
  struct Snapshot {
    storage::WorldPtr world;
    storage::Number number;
  };
  // The one that `options` ask for.
  Task<Snapshot> Read(rest::ReadOptions options);
  Task<Snapshot> ReadNewest();
  // Waits until this replica has reached `number`: 504 when it does not in time.
  StatusTask WaitFor(storage::Number number);

  storage::WorldStore& worlds_;
  const InstalledOperatorOptions options_;
  storage::RewindCache past_;
  const StreamContext streams_{worlds_, past_, options_.on_newest_read, options_.bookmark_period};
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_
