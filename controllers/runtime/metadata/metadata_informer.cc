#include "controllers/runtime/metadata/metadata_informer.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/yield.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "storage/reflector/reflector.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {
namespace {

// The limit of a page, because metadata may be as large as a whole object.
constexpr size_t kPageBytes = size_t{8} << 20;

storage::ReflectorOptions OptionsOf(const MetadataScope& scope) {
  storage::ReflectorOptions options;
  options.gvr = scope.gvr;
  options.ns = scope.ns;
  options.label_selector = scope.label_selector;
  options.field_selector = scope.field_selector;
  options.metadata_only = true;
  options.page_bytes = kPageBytes;
  options.may_be_absent = true;
  return options;
}

bool Contains(const MetadataInformer::Namespaces& namespaces, const std::string& ns) {
  return !namespaces.has_value() || namespaces->contains(ns);
}

bool Covers(const MetadataInformer::Namespaces& all, const MetadataInformer::Namespaces& some) {
  if (!all.has_value()) return true;
  if (!some.has_value()) return false;
  for (const std::string& ns : *some) {
    if (!all->contains(ns)) return false;
  }
  return true;
}

void Widen(MetadataInformer::Namespaces& all, const MetadataInformer::Namespaces& by) {
  if (!by.has_value()) {
    all.reset();
  } else if (all.has_value()) {
    all->insert(by->begin(), by->end());
  }
}

}  // namespace

// One reflector and its sink. Lives as long as its task. After it was detached, all calls are
// ignored.
class MetadataInformer::Run : public storage::ReflectorSink {
 public:
  explicit Run(MetadataInformer& informer)
      : informer_(&informer),
        reflector_(informer.client_, informer.clock_, informer.random_, OptionsOf(informer.scope_),
                   *this) {}

  void Detach() { informer_ = nullptr; }
  static VoidTask Follow(std::shared_ptr<Run> self) {
    co_await Yield();  // no callback comes before AddUser has returned
    co_await self->reflector_.Run();
  }

  void OnReplaceBegin() override {
    listed_.clear();
    unheld_ = 0;
  }
  void OnReplaceItem(const kube::RawObject& object) override {
    if (informer_ == nullptr || !informer_->scope_.hold) return;
    absl::StatusOr<kube::ObjectMeta> decoded = Decode(object);
    if (decoded.ok()) informer_->Hold(listed_, unheld_, *std::move(decoded));
  }
  void OnReplaceEnd(uint64_t) override {
    if (informer_ != nullptr) informer_->TakeOver(std::exchange(listed_, {}), unheld_);
  }
  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object, uint64_t) override {
    if (informer_ == nullptr) return;
    absl::StatusOr<kube::ObjectMeta> decoded = Decode(object);
    if (!decoded.ok()) return;
    informer_->TakeEvent(type, *std::move(decoded));
  }
  void OnBookmark(uint64_t) override {}
  void OnAbsent() override {
    if (informer_ != nullptr) informer_->TakeOver({}, 0);
  }
  void OnConnected() override {
    if (informer_ != nullptr) informer_->health_ = absl::OkStatus();
  }
  void OnDisconnected(const absl::Status& why) override {
    if (informer_ != nullptr) informer_->health_ = why;
  }

 private:
  absl::StatusOr<kube::ObjectMeta> Decode(const kube::RawObject& object) {
    absl::StatusOr<kube::VersionedMeta> decoded = kube::DecodeObjectMeta(object);
    if (decoded.ok()) return std::move(decoded->meta);
    log::Error("Cannot read an object's metadata; it is left out",
               {{"resource", informer_->scope_.gvr.GroupResource()}, {"err", decoded.status()}});
    return decoded.status();
  }

  MetadataInformer* informer_;
  Objects listed_;
  size_t unheld_ = 0;
  storage::Reflector reflector_;
};

MetadataInformer::MetadataInformer(kube::Client& client, Clock& clock, Random& random,
                                   TaskGroup& tasks, MetadataScope scope, size_t max_objects)
    : client_(client),
      clock_(clock),
      random_(random),
      tasks_(tasks),
      scope_(std::move(scope)),
      max_objects_(max_objects) {}

MetadataInformer::~MetadataInformer() {
  if (run_ != nullptr) run_->Detach();
}

MetadataInformer::UserId MetadataInformer::AddUser(Namespaces namespaces,
                                                   MetadataCallbacks callbacks) {
  const bool covered = run_ != nullptr && Covers(wanted_, namespaces);
  User user;
  user.namespaces = std::move(namespaces);
  user.callbacks = std::move(callbacks);
  user.synced = covered && listed_;
  users_.emplace(++last_user_, std::move(user));
  if (!covered) Restart();
  return last_user_;
}

void MetadataInformer::RemoveUser(UserId user) {
  users_.erase(user);
  if (!users_.empty() || run_ == nullptr) return;
  run_->Detach();
  run_ = nullptr;
  listed_ = false;
  objects_.clear();
  unheld_ = 0;
  // Must be last, because ending the task may release the last reference to this object.
  std::exchange(task_, {}).Cancel();
}

// Starts a new run, without the namespaces of users that have gone.
void MetadataInformer::Restart() {
  wanted_ = std::set<std::string>();
  for (const auto& [id, user] : users_) Widen(wanted_, user.namespaces);
  if (run_ != nullptr) run_->Detach();
  task_.Cancel();
  listed_ = false;
  health_ = absl::UnavailableError("not listed yet");
  run_ = std::make_shared<Run>(*this);
  task_ = tasks_.Spawn(StrCat("metadata of ", scope_.gvr.GroupResource()), Run::Follow(run_));
}

bool MetadataInformer::synced(UserId user) const {
  const auto it = users_.find(user);
  return it != users_.end() && it->second.synced;
}

void MetadataInformer::Hold(Objects& objects, size_t& unheld, kube::ObjectMeta object) {
  if (!Contains(wanted_, object.name.ns)) return;
  const auto it = objects.find(object.name);
  if (it != objects.end()) {
    it->second = std::move(object);
  } else if (objects.size() < max_objects_) {
    kube::NamespacedName name = object.name;
    objects.emplace(std::move(name), std::move(object));
  } else {
    ++unheld;
  }
}

void MetadataInformer::TakeOver(Objects next, size_t unheld) {
  std::vector<kube::NamespacedName> changed;
  for (const auto& [name, object] : objects_) {
    if (!next.contains(name)) changed.push_back(name);
  }
  for (const auto& [name, object] : next) {
    const auto before = objects_.find(name);
    if (before == objects_.end() || before->second != object) changed.push_back(name);
  }
  objects_ = std::move(next);
  unheld_ = unheld;
  listed_ = true;
  for (auto& [id, user] : users_) user.synced = true;
  // Keep this object alive, because a callback may destroy the last watch.
  const std::shared_ptr<MetadataInformer> self = shared_from_this();
  TellAll(&MetadataCallbacks::listed);
  for (const kube::NamespacedName& name : changed) Tell(name);
  TellAll(&MetadataCallbacks::synced);
}

void MetadataInformer::TakeEvent(kube::WatchEvent::Type type, kube::ObjectMeta object) {
  const kube::NamespacedName name = object.name;
  if (!Contains(wanted_, name.ns)) return;
  const auto it = objects_.find(name);
  if (!scope_.hold) {
    if (type == kube::WatchEvent::Type::kModified) return;
  } else if (type == kube::WatchEvent::Type::kDeleted) {
    if (it != objects_.end()) objects_.erase(it);
  } else {
    if (it != objects_.end() && it->second == object) return;
    Hold(objects_, unheld_, std::move(object));
  }
  const std::shared_ptr<MetadataInformer> self = shared_from_this();
  Tell(name);
}

// Callbacks may add and remove users. So the loop goes by user number, and calls copies of the
// callbacks.
template <typename Call>
void MetadataInformer::ForEachUser(Call call) {
  for (auto it = users_.begin(); it != users_.end();) {
    const UserId id = it->first;
    call(it->second);
    it = users_.upper_bound(id);
  }
}

void MetadataInformer::Tell(const kube::NamespacedName& name) {
  ForEachUser([&name](const User& user) {
    if (!Contains(user.namespaces, name.ns)) return;
    const auto changed = user.callbacks.changed;
    if (changed) changed(name);
  });
}

void MetadataInformer::TellAll(std::function<void()> MetadataCallbacks::*callback) {
  ForEachUser([callback](const User& user) {
    const auto call = user.callbacks.*callback;
    if (call) call();
  });
}

}  // namespace steward::controllers
