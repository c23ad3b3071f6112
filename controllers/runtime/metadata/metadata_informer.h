// One list and watch of metadata, and the objects from it. Lives on one executor.
#ifndef CONTROLLERS_RUNTIME_METADATA_METADATA_INFORMER_H_
#define CONTROLLERS_RUNTIME_METADATA_METADATA_INFORMER_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/object_meta.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct MetadataCallbacks {
  // Called when the object appeared, was deleted, or changed in the metadata that is held. With
  // MetadataScope::hold = false: called only when the watch (not a list) reports an object as added
  // or deleted. May be null.
  std::function<void(const kube::NamespacedName& name)> changed;
  // Called when a complete list has been applied, the first or a later one. May be null.
  std::function<void()> synced;
  // Called before the changes of a complete list are reported; `synced` is called after them. May
  // be null.
  std::function<void()> listed;
};

// The part of the cluster that one informer reads.
struct MetadataScope {
  kube::GroupVersionResource gvr;
  std::string label_selector;
  std::string field_selector;
  std::string ns;    // "" = all of the cluster
  bool hold = true;  // whether objects are held; if not, changes are only reported
  auto operator<=>(const MetadataScope&) const = default;
};

// Holds the objects that its users want, up to a bound. Runs in `tasks` from the first user until
// the last has gone. When a user wants namespaces that were not held, lists anew; the held objects
// stay until that list is complete.
class MetadataInformer : public std::enable_shared_from_this<MetadataInformer> {
 public:
  using UserId = uint64_t;
  using Namespaces = std::optional<std::set<std::string>>;  // nullopt = all

  // REQUIRES: the references outlive this object.
  MetadataInformer(kube::Client& client, Clock& clock, Random& random, TaskGroup& tasks,
                   MetadataScope scope, size_t max_objects);
  ~MetadataInformer();

  UserId AddUser(Namespaces namespaces, MetadataCallbacks callbacks);
  void RemoveUser(UserId user);

  // True when everything that `user` wants has been listed.
  bool synced(UserId user) const;
  const absl::Status& health() const { return health_; }
  bool truncated() const { return unheld_ > 0; }
  bool running() const { return run_ != nullptr; }

  using Objects = std::map<kube::NamespacedName, kube::ObjectMeta>;
  const Objects& objects() const { return objects_; }

 private:
  class Run;
  struct User {
    Namespaces namespaces;
    MetadataCallbacks callbacks;
    bool synced = false;
  };

  void Restart();
  void Hold(Objects& objects, size_t& unheld, kube::ObjectMeta object);
  void TakeOver(Objects next, size_t unheld);
  void TakeEvent(kube::WatchEvent::Type type, kube::ObjectMeta object);
  template <typename Call>
  void ForEachUser(Call call);
  void Tell(const kube::NamespacedName& name);
  // Calls `callback`, for example `synced`, of each user that has one.
  void TellAll(std::function<void()> MetadataCallbacks::*callback);

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  TaskGroup& tasks_;
  const MetadataScope scope_;
  const size_t max_objects_;

  std::map<UserId, User> users_;
  UserId last_user_ = 0;
  Namespaces wanted_ = std::set<std::string>();  // by the present run
  std::shared_ptr<Run> run_;
  TaskGroup::Ref task_;
  bool listed_ = false;  // by the present run

  Objects objects_;
  size_t unheld_ = 0;  // reports of objects beyond the bound; one object may count several times
  absl::Status health_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_METADATA_METADATA_INFORMER_H_
