#include "kube/testing/fault_client.h"

#include <list>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"
#include "kube/testing/breakable_watch.h"
#include "kube/testing/frozen_reads.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

absl::Status Lost() { return absl::UnavailableError("the answer was lost"); }

}  // namespace

struct FaultClient::State {
  struct Resource {
    std::shared_ptr<const FrozenReads> frozen;
    bool expire_watch = false;
    bool expire_continuation = false;
    std::list<std::weak_ptr<WatchBreaker>> watches;
  };

  static void Prune(Resource& resource) {
    resource.watches.remove_if([](const auto& watch) { return watch.expired(); });
  }

  mutable Mutex mutex;
  std::map<GroupVersionResource, Resource> resources ABSL_GUARDED_BY(mutex);

  std::shared_ptr<const FrozenReads> Frozen(const GroupVersionResource& gvr) {
    MutexLock lock(&mutex);
    return resources[gvr].frozen;
  }
  bool TakeExpiry(const GroupVersionResource& gvr, bool Resource::*flag) {
    MutexLock lock(&mutex);
    return std::exchange(resources[gvr].*flag, false);
  }
  void BreakAll(const GroupVersionResource& gvr, const absl::Status& error) {
    MutexLock lock(&mutex);
    for (const std::weak_ptr<WatchBreaker>& watch : std::exchange(resources[gvr].watches, {})) {
      if (const std::shared_ptr<WatchBreaker> running = watch.lock()) running->Break(error);
    }
  }
};

FaultClient::FaultClient(Client& inner, Clock& clock)
    : inner_(inner), script_(&clock), state_(std::make_shared<State>()) {}

FaultClient::FaultClient(std::unique_ptr<Client> inner, const FaultClient& same, UserInfo user)
    : own_inner_(std::move(inner)),
      inner_(*own_inner_),
      script_(same.script_),
      state_(same.state_),
      user_(std::move(user)) {}

FaultClient::~FaultClient() = default;

Task<bool> FaultClient::Enter(ClientVerb verb, const GroupVersionResource& gvr, std::string name) {
  return script_.Enter(verb, gvr, std::move(name), user_);
}

void FaultClient::FailNext(const Calls& calls, absl::Status error, int times) {
  script_.FailNext(calls, std::move(error), times);
}
void FaultClient::LoseNext(const Calls& calls, int times) { script_.LoseNext(calls, times); }
void FaultClient::DelayNext(const Calls& calls, absl::Duration delay, int times) {
  script_.DelayNext(calls, delay, times);
}
void FaultClient::Hold(const Calls& calls) { script_.Hold(calls); }
void FaultClient::Release(const Calls& calls) { script_.Release(calls); }
void FaultClient::ForgetFaults(const GroupVersionResource& gvr) { script_.Forget(gvr); }
int FaultClient::calls(const Calls& calls) const { return script_.calls(calls); }
std::optional<UserInfo> FaultClient::last_user(const Calls& calls) const {
  return script_.last_user(calls);
}

StatusTask FaultClient::Freeze(GroupVersionResource gvr) {
  absl::StatusOr<std::shared_ptr<const FrozenReads>> frozen =
      co_await FrozenReads::Take(inner_, gvr);
  CO_RETURN_IF_ERROR(frozen.status());
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].frozen = *std::move(frozen);
  co_return absl::OkStatus();
}

void FaultClient::Thaw(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].frozen = nullptr;
}

void FaultClient::Expire(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  State::Resource& resource = state_->resources[gvr];
  resource.expire_watch = true;
  resource.expire_continuation = true;
}

void FaultClient::BreakWatches(const GroupVersionResource& gvr, absl::Status error) {
  state_->BreakAll(gvr, error);
}

void FaultClient::CloseWatches(const GroupVersionResource& gvr) {
  state_->BreakAll(gvr, absl::OkStatus());
}

size_t FaultClient::running_watches(const GroupVersionResource& gvr) const {
  MutexLock lock(&state_->mutex);
  State::Resource& resource = state_->resources[gvr];
  State::Prune(resource);
  return resource.watches.size();
}

Task<RawObject> FaultClient::Get(const GroupVersionResource& gvr, const NamespacedName& name) {
  CO_ASSIGN_OR_RETURN(const bool lost, co_await Enter(ClientVerb::kGet, gvr, name.name));
  if (const std::shared_ptr<const FrozenReads> frozen = state_->Frozen(gvr); frozen && !lost) {
    co_return frozen->Get(name);
  }
  absl::StatusOr<RawObject> answer = co_await inner_.Get(gvr, name);
  if (lost) co_return Lost();
  co_return std::move(answer);
}

Task<ListPage> FaultClient::List(const GroupVersionResource& gvr, const ListOptions& options) {
  CO_ASSIGN_OR_RETURN(const bool lost, co_await Enter(ClientVerb::kList, gvr, ""));
  if (!options.continue_token.empty() &&
      state_->TakeExpiry(gvr, &State::Resource::expire_continuation)) {
    co_return ToStatus(Expired(
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter."));
  }
  if (const std::shared_ptr<const FrozenReads> frozen = state_->Frozen(gvr); frozen && !lost) {
    co_return frozen->List(options);
  }
  absl::StatusOr<ListPage> answer = co_await inner_.List(gvr, options);
  if (lost) co_return Lost();
  co_return std::move(answer);
}

Task<std::unique_ptr<Watch>> FaultClient::StartWatch(const GroupVersionResource& gvr,
                                                     const WatchOptions& options) {
  CO_ASSIGN_OR_RETURN(const bool lost, co_await Enter(ClientVerb::kWatch, gvr, ""));
  const bool resumes = !options.resource_version.empty() && options.resource_version != "0" &&
                       !options.send_initial_events;
  if (resumes && state_->TakeExpiry(gvr, &State::Resource::expire_watch)) {
    co_return ToStatus(Expired("too old resource version: " + options.resource_version));
  }
  absl::StatusOr<std::unique_ptr<Watch>> inner = co_await inner_.StartWatch(gvr, options);
  if (lost) co_return Lost();
  CO_RETURN_IF_ERROR(inner.status());
  auto breaker = std::make_shared<WatchBreaker>();
  {
    MutexLock lock(&state_->mutex);
    State::Resource& resource = state_->resources[gvr];
    State::Prune(resource);
    resource.watches.push_back(breaker);
  }
  co_return std::make_unique<BreakableWatch>(*std::move(inner), std::move(breaker));
}

template <typename T>
Task<T> FaultClient::Make(ClientVerb verb, const GroupVersionResource& gvr, std::string name,
                          Task<T> call) {
  CO_ASSIGN_OR_RETURN(const bool lost, co_await Enter(verb, gvr, std::move(name)));
  absl::StatusOr<T> answer = co_await std::move(call);
  if (lost) co_return Lost();
  co_return std::move(answer);
}

Task<json::value> FaultClient::Create(const GroupVersionResource& gvr, const std::string& ns,
                                      const json::value& object, const WriteOptions& options) {
  return Make(ClientVerb::kCreate, gvr, NameOf(object).name,
              inner_.Create(gvr, ns, object, options));
}

Task<json::value> FaultClient::Update(const GroupVersionResource& gvr, const json::value& object,
                                      const WriteOptions& options) {
  return Make(ClientVerb::kUpdate, gvr, NameOf(object).name, inner_.Update(gvr, object, options));
}

Task<json::value> FaultClient::Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                     PatchType type, const json::value& patch,
                                     const WriteOptions& options) {
  return Make(ClientVerb::kPatch, gvr, name.name, inner_.Patch(gvr, name, type, patch, options));
}

Task<json::value> FaultClient::Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                      const DeleteOptions& options) {
  return Make(ClientVerb::kDelete, gvr, name.name, inner_.Delete(gvr, name, options));
}

Task<std::vector<ApiResource>> FaultClient::Discover(const GroupVersion& gv) {
  const GroupVersionResource call{gv.group, gv.version, ""};
  CO_ASSIGN_OR_RETURN(const bool lost, co_await Enter(ClientVerb::kDiscover, call, ""));
  absl::StatusOr<std::vector<ApiResource>> answer = co_await inner_.Discover(gv);
  if (lost) co_return Lost();
  co_return std::move(answer);
}

Task<std::vector<GroupVersion>> FaultClient::DiscoverGroups() {
  const GroupVersionResource call;
  CO_ASSIGN_OR_RETURN(const bool lost, co_await Enter(ClientVerb::kDiscover, call, ""));
  absl::StatusOr<std::vector<GroupVersion>> answer = co_await inner_.DiscoverGroups();
  if (lost) co_return Lost();
  co_return std::move(answer);
}

std::unique_ptr<Client> FaultClient::As(const UserInfo& user) {
  return std::unique_ptr<FaultClient>(new FaultClient(inner_.As(user), *this, user));
}

}  // namespace steward::kube
