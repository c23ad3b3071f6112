#include "kube/testing/fake_client.h"

#include <boost/asio/this_coro.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "kube/client/impersonation.h"
#include "kube/client/raw_object.h"
#include "kube/client/refusing_client.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_apply.h"
#include "kube/testing/fake_resource.h"
#include "kube/testing/fake_write.h"
#include "kube/testing/wakeup.h"

namespace steward::kube {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

RawObject Encode(const json::value& object) { return OwnedRawObject(json::serialize(object)); }

json::value Decode(const RawObject& object) {
  return json::parse(json::string_view(object.json.data(), object.json.size()));
}

}  // namespace

struct FakeClient::State {
  FaultScript script;
  mutable Mutex mutex;
  uint64_t revision ABSL_GUARDED_BY(mutex) = 1;
  std::map<GroupVersionResource, FakeResource> resources ABSL_GUARDED_BY(mutex);
  std::map<GroupVersion, std::vector<ApiResource>> published ABSL_GUARDED_BY(mutex);

  uint64_t Store(FakeResource& resource, json::value object) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const NamespacedName name = NameOf(object);
    const auto old = resource.objects.find(name);
    const bool exists = old != resource.objects.end();
    json::object& metadata = object.at("metadata").as_object();
    ++revision;
    metadata["resourceVersion"] = absl::StrCat(revision);
    if (exists) {
      metadata["uid"] = Decode(old->second).at("metadata").at("uid");
    } else if (!metadata.contains("uid")) {
      metadata["uid"] = absl::StrCat("uid-", revision);
    }
    std::optional<RawObject> before;
    if (exists) before = old->second;
    const RawObject raw = Encode(object);
    resource.objects[name] = raw;
    resource.Record(revision, name, raw, std::move(before), /*deleted=*/false);
    return revision;
  }

  // Removes the object and returns it; `object` is its last state.
  json::value Remove(FakeResource& resource, const NamespacedName& name, json::value object)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto old = resource.objects.extract(name);
    ++revision;
    object.at("metadata").as_object()["resourceVersion"] = absl::StrCat(revision);
    resource.Record(revision, name, Encode(object), old.mapped(), /*deleted=*/true);
    return object;
  }

  // Carries out `write` for the object of this name, and returns the answer.
  absl::StatusOr<json::value> Apply(FakeResource& resource, const NamespacedName& name,
                                    absl::StatusOr<FakeWrite> write, bool dry_run)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    RETURN_IF_ERROR(write.status());
    if (dry_run || write->kind == FakeWrite::Kind::kUnchanged) return std::move(write->object);
    if (write->kind == FakeWrite::Kind::kRemoved) {
      return Remove(resource, name, std::move(write->object));
    }
    Store(resource, std::move(write->object));
    return Decode(resource.objects.at(name));
  }

  // Follows the script, then checks that the resource is served.
  static StatusTask Enter(std::shared_ptr<State> state, std::optional<UserInfo> user, Verb verb,
                          GroupVersionResource gvr) {
    CO_ASSIGN_OR_RETURN([[maybe_unused]] const bool lost,
                        co_await state->script.Enter(verb, gvr, "", std::move(user)));
    MutexLock lock(&state->mutex);
    const FakeResource& resource = state->resources[gvr];
    if (!resource.served && !(verb == Verb::kCreate && resource.create)) {
      co_return ToStatus(NotFoundPath());
    }
    co_return absl::OkStatus();
  }

  void CloseStream(const GroupVersionResource& gvr, const std::shared_ptr<FakeStream>& stream) {
    MutexLock lock(&mutex);
    stream->over = true;
    resources[gvr].streams.remove(stream);
  }
  std::optional<FakeStream::Item> TakeItem(FakeStream& stream,
                                           const std::shared_ptr<Wakeup>& reader) {
    MutexLock lock(&mutex);
    if (stream.items.empty()) {
      stream.reader = reader;
      return std::nullopt;
    }
    FakeStream::Item item = std::move(stream.items.front());
    stream.items.pop_front();
    return item;
  }

  class StreamWatch : public Watch {
   public:
    StreamWatch(std::shared_ptr<State> state, GroupVersionResource gvr,
                std::shared_ptr<FakeStream> stream)
        : state_(std::move(state)), gvr_(std::move(gvr)), stream_(std::move(stream)) {}
    ~StreamWatch() override { state_->CloseStream(gvr_, stream_); }

    Task<std::optional<WatchEvent>> Next() override {
      const asio::any_io_executor executor = co_await asio::this_coro::executor;
      while (!over_) {
        auto reader = std::make_shared<Wakeup>(executor);
        std::optional<FakeStream::Item> item = state_->TakeItem(*stream_, reader);
        if (!item) {
          co_await reader->Wait();
          continue;
        }
        if (auto* event = std::get_if<WatchEvent>(&*item)) co_return std::move(*event);
        over_ = true;
        state_->CloseStream(gvr_, stream_);
        if (auto* error = std::get_if<absl::Status>(&*item)) co_return *error;
      }
      co_return std::nullopt;
    }

   private:
    const std::shared_ptr<State> state_;
    const GroupVersionResource gvr_;
    const std::shared_ptr<FakeStream> stream_;
    bool over_ = false;
  };
};

FakeClient::FakeClient() : state_(std::make_shared<State>()) {}
FakeClient::FakeClient(std::shared_ptr<State> state, UserInfo user)
    : state_(std::move(state)), user_(std::move(user)) {}
FakeClient::~FakeClient() = default;

void FakeClient::Serve(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  if (resource.served) return;
  resource.served = true;
  resource.history_start = ++state_->revision;
}

void FakeClient::Withdraw(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  resource.served = false;
  resource.objects.clear();
  resource.history.clear();
  resource.snapshots.clear();
  ++state_->revision;
  resource.PushToAll(FakeStream::End{});
}

void FakeClient::Publish(const GroupVersion& gv, std::vector<ApiResource> resources) {
  MutexLock lock(&state_->mutex);
  state_->published[gv] = std::move(resources);
}

void FakeClient::Unpublish(const GroupVersion& gv) {
  MutexLock lock(&state_->mutex);
  state_->published.erase(gv);
}

uint64_t FakeClient::Put(const GroupVersionResource& gvr, std::string_view json) {
  json::value object = json::parse(json::string_view(json.data(), json.size()));
  MutexLock lock(&state_->mutex);
  return state_->Store(state_->resources.at(gvr), std::move(object));
}

uint64_t FakeClient::Delete(const GroupVersionResource& gvr, const NamespacedName& name) {
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources.at(gvr);
  state_->Remove(resource, name, Decode(resource.objects.at(name)));
  return state_->revision;
}

uint64_t FakeClient::Touch() {
  MutexLock lock(&state_->mutex);
  return ++state_->revision;
}

uint64_t FakeClient::revision() const {
  MutexLock lock(&state_->mutex);
  return state_->revision;
}

std::map<NamespacedName, std::string> FakeClient::Objects(const GroupVersionResource& gvr) const {
  MutexLock lock(&state_->mutex);
  std::map<NamespacedName, std::string> out;
  for (const auto& [name, object] : state_->resources[gvr].objects) out[name] = object.json;
  return out;
}

void FakeClient::FailNext(Verb verb, const GroupVersionResource& gvr, absl::Status error,
                          int times) {
  state_->script.FailNext(Calls{verb, gvr}, std::move(error), times);
}

void FakeClient::Hold(Verb verb, const GroupVersionResource& gvr) {
  state_->script.Hold(Calls{verb, gvr});
}

void FakeClient::Release(Verb verb, const GroupVersionResource& gvr) {
  state_->script.Release(Calls{verb, gvr});
}

void FakeClient::ForgetFaults(const GroupVersionResource& gvr) { state_->script.Forget(gvr); }

void FakeClient::Expire(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  resource.history.clear();
  resource.snapshots.clear();
  resource.history_start = state_->revision;
}

void FakeClient::BreakWatches(const GroupVersionResource& gvr, absl::Status error) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].PushToAll(std::move(error));
}

void FakeClient::CloseWatches(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].PushToAll(FakeStream::End{});
}

void FakeClient::Bookmark(const GroupVersionResource& gvr, std::optional<uint64_t> revision) {
  MutexLock lock(&state_->mutex);
  const std::string text = absl::StrCat(revision.value_or(state_->revision));
  state_->resources[gvr].PushToAll(WatchEvent{WatchEvent::Type::kBookmark, text,
                                              Encode({{"metadata", {{"resourceVersion", text}}}})});
}

void FakeClient::SendEvent(const GroupVersionResource& gvr, WatchEvent event) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].PushToAll(std::move(event));
}

void FakeClient::HandleCreate(const GroupVersionResource& gvr, CreateHandler handler) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].create = std::move(handler);
}

void FakeClient::LimitLists(const GroupVersionResource& gvr, size_t max_bytes) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].max_list_bytes = max_bytes;
}

int FakeClient::calls(Verb verb, const GroupVersionResource& gvr) const {
  return state_->script.calls(Calls{verb, gvr});
}

std::optional<UserInfo> FakeClient::last_user(Verb verb, const GroupVersionResource& gvr) const {
  return state_->script.last_user(Calls{verb, gvr});
}

size_t FakeClient::running_watches(const GroupVersionResource& gvr) const {
  MutexLock lock(&state_->mutex);
  return state_->resources[gvr].streams.size();
}

Task<RawObject> FakeClient::Get(const GroupVersionResource& gvr, const NamespacedName& name) {
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kGet, gvr));
  MutexLock lock(&state_->mutex);
  const FakeResource& resource = state_->resources[gvr];
  const auto it = resource.objects.find(name);
  if (it == resource.objects.end()) co_return ToStatus(NotFound(gvr, name.name));
  co_return it->second;
}

Task<ListPage> FakeClient::List(const GroupVersionResource& gvr, const ListOptions& options) {
  if (!options.resource_version_match.empty() && options.resource_version_match != "Exact") {
    co_return absl::InvalidArgumentError("FakeClient lists the newest or exactly a state");
  }
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kList, gvr));
  MutexLock lock(&state_->mutex);
  co_return state_->resources[gvr].ListAt(options, state_->revision);
}

Task<std::unique_ptr<Watch>> FakeClient::StartWatch(const GroupVersionResource& gvr,
                                                    const WatchOptions& options) {
  CO_ASSIGN_OR_RETURN(ListFilter filter,
                      ListFilter::Of(options.label_selector, options.field_selector));
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kWatch, gvr));
  std::optional<uint64_t> from;
  if (!options.resource_version.empty() && options.resource_version != "0") {
    const std::string& text = options.resource_version;
    uint64_t revision = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
    if (error != std::errc() || end != text.data() + text.size()) {
      co_return ToStatus(BadRequest("invalid resource version"));
    }
    from = revision;
  }
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  if (from && *from < resource.history_start && !options.send_initial_events) {
    co_return ToStatus(Expired(
        absl::StrCat("too old resource version: ", *from, " (", resource.history_start, ")")));
  }
  if (options.send_initial_events) from = std::nullopt;
  std::shared_ptr<FakeStream> stream = resource.OpenStream(
      options.ns, std::move(filter), from, options.send_initial_events, state_->revision);
  co_return std::make_unique<State::StreamWatch>(state_, gvr, std::move(stream));
}

Task<json::value> FakeClient::Create(const GroupVersionResource& gvr, const std::string& ns,
                                     const json::value& object, const WriteOptions& options) {
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kCreate, gvr));
  CO_RETURN_IF_ERROR(MaySend(options.may_send));
  CreateHandler handler;
  {
    MutexLock lock(&state_->mutex);
    handler = state_->resources[gvr].create;
  }
  if (handler) co_return handler(object);
  json::value copy = object;
  if (!ns.empty()) copy.at("metadata").as_object()["namespace"] = ns;
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  const NamespacedName name = NameOf(copy);
  if (resource.objects.contains(name)) co_return ToStatus(AlreadyExists(gvr, name.name));
  PrepareFakeCreate(copy);
  co_return state_->Apply(resource, name, FakeWrite{FakeWrite::Kind::kChanged, std::move(copy)},
                          options.dry_run);
}

Task<json::value> FakeClient::Update(const GroupVersionResource& gvr, const json::value& object,
                                     const WriteOptions& options) {
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kUpdate, gvr));
  CO_RETURN_IF_ERROR(MaySend(options.may_send));
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  const NamespacedName name = NameOf(object);
  const auto it = resource.objects.find(name);
  if (it == resource.objects.end()) co_return ToStatus(NotFound(gvr, name.name));
  co_return state_->Apply(resource, name,
                          FakeUpdate(gvr, Decode(it->second), object, options.subresource),
                          options.dry_run);
}

Task<json::value> FakeClient::Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                    PatchType type, const json::value& patch,
                                    const WriteOptions& options) {
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kPatch, gvr));
  CO_RETURN_IF_ERROR(MaySend(options.may_send));
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  const auto it = resource.objects.find(name);
  if (type == PatchType::kApply && options.subresource.empty()) {
    const FakeApplyRequest request{gvr, name, options.field_manager, options.force};
    std::optional<json::value> stored;
    if (it != resource.objects.end()) stored = Decode(it->second);
    co_return state_->Apply(resource, name, FakeApply(request, stored ? &*stored : nullptr, patch),
                            options.dry_run);
  }
  if (type != PatchType::kJsonMerge) {
    co_return ToStatus(UnsupportedMediaType({"application/merge-patch+json"}));
  }
  if (it == resource.objects.end()) co_return ToStatus(NotFound(gvr, name.name));
  json::value patched = Decode(it->second);
  MergePatch(patched, patch);
  if (NameOf(patched) != name) co_return ToStatus(BadRequest("the patch changes the name"));
  co_return state_->Apply(
      resource, name, FakeUpdate(gvr, Decode(it->second), std::move(patched), options.subresource),
      options.dry_run);
}

Task<json::value> FakeClient::Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                     const DeleteOptions& options) {
  CO_RETURN_IF_ERROR(co_await State::Enter(state_, user_, Verb::kDelete, gvr));
  CO_RETURN_IF_ERROR(MaySend(options.may_send));
  MutexLock lock(&state_->mutex);
  FakeResource& resource = state_->resources[gvr];
  const auto it = resource.objects.find(name);
  if (it == resource.objects.end()) co_return ToStatus(NotFound(gvr, name.name));
  co_return state_->Apply(resource, name, FakeDelete(gvr, Decode(it->second), options),
                          options.dry_run);
}

Task<std::vector<ApiResource>> FakeClient::Discover(const GroupVersion& gv) {
  const GroupVersionResource call{gv.group, gv.version, ""};
  CO_ASSIGN_OR_RETURN([[maybe_unused]] const bool lost,
                      co_await state_->script.Enter(Verb::kDiscover, call, "", user_));
  MutexLock lock(&state_->mutex);
  const auto found = state_->published.find(gv);
  if (found == state_->published.end()) co_return ToStatus(NotFoundPath());
  co_return found->second;
}

Task<std::vector<GroupVersion>> FakeClient::DiscoverGroups() {
  const GroupVersionResource call;
  CO_ASSIGN_OR_RETURN([[maybe_unused]] const bool lost,
                      co_await state_->script.Enter(Verb::kDiscover, call, "", user_));
  MutexLock lock(&state_->mutex);
  std::vector<GroupVersion> all;
  for (const auto& [gv, resources] : state_->published) all.push_back(gv);
  co_return all;
}

std::unique_ptr<Client> FakeClient::As(const UserInfo& user) {
  absl::Status refused = CheckActingUser(user);
  if (!refused.ok()) return std::make_unique<RefusingClient>(std::move(refused));
  return std::unique_ptr<FakeClient>(new FakeClient(state_, user));
}

}  // namespace steward::kube
