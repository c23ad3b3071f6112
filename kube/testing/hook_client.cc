#include "kube/testing/hook_client.h"

#include <boost/asio/io_context.hpp>
#include <list>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/async/run.h"
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

struct HookClient::State {
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

HookClient::HookClient(Client& inner)
    : InterceptingClient(inner), hooks_(nullptr), state_(std::make_shared<State>()) {}

HookClient::HookClient(Client& inner, Clock& clock)
    : InterceptingClient(inner),
      script_(&clock),
      hooks_(nullptr),
      state_(std::make_shared<State>()) {}

HookClient::HookClient(Client& inner, Hooks& hooks)
    : InterceptingClient(inner), hooks_(&hooks), state_(std::make_shared<State>()) {}

HookClient::HookClient(std::unique_ptr<Client> inner, const HookClient& same, UserInfo user)
    : InterceptingClient(*inner),
      own_inner_(std::move(inner)),
      script_(same.script_),
      hooks_(same.hooks_),
      state_(same.state_),
      user_(std::move(user)) {}

HookClient::~HookClient() = default;

void HookClient::FailNext(const Calls& calls, absl::Status error, int times) {
  script_.FailNext(calls, std::move(error), times);
}
void HookClient::LoseNext(const Calls& calls, int times) { script_.LoseNext(calls, times); }
void HookClient::DelayNext(const Calls& calls, absl::Duration delay, int times) {
  script_.DelayNext(calls, delay, times);
}
void HookClient::Hold(const Calls& calls) { script_.Hold(calls); }
void HookClient::Release(const Calls& calls) { script_.Release(calls); }
void HookClient::ForgetFaults(const GroupVersionResource& gvr) { script_.Forget(gvr); }
int HookClient::calls(const Calls& calls) const { return script_.calls(calls); }
std::optional<UserInfo> HookClient::last_user(const Calls& calls) const {
  return script_.last_user(calls);
}

StatusTask HookClient::Freeze(GroupVersionResource gvr) {
  absl::StatusOr<std::shared_ptr<const FrozenReads>> frozen =
      co_await FrozenReads::Take(inner(), gvr);
  CO_RETURN_IF_ERROR(frozen.status());
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].frozen = *std::move(frozen);
  co_return absl::OkStatus();
}

void HookClient::Thaw(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  state_->resources[gvr].frozen = nullptr;
}

void HookClient::Expire(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  State::Resource& resource = state_->resources[gvr];
  resource.expire_watch = true;
  resource.expire_continuation = true;
}

void HookClient::BreakWatches(const GroupVersionResource& gvr, absl::Status error) {
  state_->BreakAll(gvr, error);
}

void HookClient::CloseWatches(const GroupVersionResource& gvr) {
  state_->BreakAll(gvr, absl::OkStatus());
}

size_t HookClient::running_watches(const GroupVersionResource& gvr) const {
  MutexLock lock(&state_->mutex);
  State::Resource& resource = state_->resources[gvr];
  State::Prune(resource);
  return resource.watches.size();
}

template <typename T>
Task<T> HookClient::Make(HookedCall call, Task<T> made) {
  if (user_) call.as = user_->name;
  CO_ASSIGN_OR_RETURN(const bool lost,
                      co_await script_.Enter(call.verb, call.gvr, call.name.name, user_));
  if (hooks_ == nullptr) {
    absl::StatusOr<T> answer = co_await std::move(made);
    if (lost) co_return Lost();
    co_return std::move(answer);
  }
  const HookedFate fate = co_await hooks_->Before(call);
  if (fate.kind == HookedFate::kDieBefore) co_await hooks_->Die();
  if (!fate.error.ok()) co_return fate.error;
  hooks_->Wait(fate.delay);
  // Every client makes this check right before it sends.
  CO_RETURN_IF_ERROR(call.MaySend());
  hooks_->Leaves(call);
  if (fate.kind == HookedFate::kHold) {
    hooks_->Hold(call);
    co_return absl::UnavailableError("nobody answers");
  }
  absl::StatusOr<T> answer = absl::UnknownError("not made yet");
  if (hooks_->AtOnce()) {
    boost::asio::io_context io(1);
    answer = RunOn(io, std::move(made));
  } else {
    answer = co_await std::move(made);
  }
  co_await hooks_->After(call, answer.status());
  if (fate.kind == HookedFate::kDieAfter) co_await hooks_->Die();
  if (lost || fate.kind == HookedFate::kLose) co_return Lost();
  co_return std::move(answer);
}

Task<RawObject> HookClient::Read(const GroupVersionResource& gvr, const NamespacedName& name) {
  if (const std::shared_ptr<const FrozenReads> frozen = state_->Frozen(gvr)) {
    co_return frozen->Get(name);
  }
  co_return co_await inner().Get(gvr, name);
}

Task<ListPage> HookClient::ReadList(const GroupVersionResource& gvr, const ListOptions& options) {
  if (!options.continue_token.empty() &&
      state_->TakeExpiry(gvr, &State::Resource::expire_continuation)) {
    co_return ToStatus(Expired(
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter."));
  }
  if (const std::shared_ptr<const FrozenReads> frozen = state_->Frozen(gvr)) {
    co_return frozen->List(options);
  }
  co_return co_await inner().List(gvr, options);
}

Task<RawObject> HookClient::Get(const GroupVersionResource& gvr, const NamespacedName& name) {
  return Make({ClientVerb::kGet, gvr, name}, Read(gvr, name));
}

Task<ListPage> HookClient::List(const GroupVersionResource& gvr, const ListOptions& options) {
  HookedCall call{ClientVerb::kList, gvr, {options.ns, ""}};
  call.list = &options;
  return Make(std::move(call), ReadList(gvr, options));
}

Task<std::unique_ptr<Watch>> HookClient::StartWatch(const GroupVersionResource& gvr,
                                                    const WatchOptions& options) {
  CO_ASSIGN_OR_RETURN(const bool lost, co_await script_.Enter(ClientVerb::kWatch, gvr, "", user_));
  const bool resumes = !options.resource_version.empty() && options.resource_version != "0" &&
                       !options.send_initial_events;
  if (resumes && state_->TakeExpiry(gvr, &State::Resource::expire_watch)) {
    co_return ToStatus(Expired("too old resource version: " + options.resource_version));
  }
  absl::StatusOr<std::unique_ptr<Watch>> watch = co_await inner().StartWatch(gvr, options);
  if (lost) co_return Lost();
  CO_RETURN_IF_ERROR(watch.status());
  auto breaker = std::make_shared<WatchBreaker>();
  {
    MutexLock lock(&state_->mutex);
    State::Resource& resource = state_->resources[gvr];
    State::Prune(resource);
    resource.watches.push_back(breaker);
  }
  co_return std::make_unique<BreakableWatch>(*std::move(watch), std::move(breaker));
}

Task<json::value> HookClient::Write(ClientWrite write) {
  HookedCall call{ClientVerb::kDelete, write.gvr, write.name, "", write.object};
  switch (write.verb) {
    case ClientWrite::Verb::kCreate:
      call.verb = ClientVerb::kCreate;
      call.name.name = NameOf(*write.object).name;
      break;
    case ClientWrite::Verb::kUpdate:
      call.verb = ClientVerb::kUpdate;
      call.name = NameOf(*write.object);
      break;
    case ClientWrite::Verb::kPatch:
      call.verb = ClientVerb::kPatch;
      break;
    case ClientWrite::Verb::kDelete:
      call.deletion = &write.delete_options;
      call.dry_run = write.delete_options.dry_run;
      break;
  }
  if (call.deletion == nullptr) {
    call.write = &write.options;
    call.dry_run = write.options.dry_run;
  }
  Task<json::value> made = write.SendTo(inner());
  co_return co_await Make(std::move(call), std::move(made));
}

Task<std::vector<ApiResource>> HookClient::Discover(const GroupVersion& gv) {
  return Make({ClientVerb::kDiscover, {gv.group, gv.version, ""}, {}}, inner().Discover(gv));
}

Task<std::vector<GroupVersion>> HookClient::DiscoverGroups() {
  return Make({ClientVerb::kDiscover, {}, {}}, inner().DiscoverGroups());
}

std::unique_ptr<Client> HookClient::As(const UserInfo& user) {
  return std::unique_ptr<HookClient>(new HookClient(inner().As(user), *this, user));
}

}  // namespace steward::kube
