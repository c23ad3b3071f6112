#include "kube/testing/fault_script.h"

#include <array>
#include <boost/asio/this_coro.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"
#include "kube/testing/wakeup.h"

namespace steward::kube {

namespace asio = boost::asio;

namespace {

// Returns true if `calls` includes the call.
bool Covers(const Calls& calls, const Calls& call) {
  return calls.verb == call.verb && calls.gvr == call.gvr &&
         (calls.name.empty() || calls.name == call.name) &&
         (calls.as.empty() || calls.as == call.as);
}

template <typename What>
struct Scripted {
  Calls calls;
  What what;
  int times;
};

template <typename What>
std::optional<What> TakeFirst(std::list<Scripted<What>>& script, const Calls& call) {
  for (auto it = script.begin(); it != script.end(); ++it) {
    if (!Covers(it->calls, call)) continue;
    What what = it->what;
    if (--it->times <= 0) script.erase(it);
    return what;
  }
  return std::nullopt;
}

}  // namespace

std::string_view VerbText(ClientVerb verb) {
  constexpr std::array<std::string_view, 8> kTexts = {"get",    "list",  "watch",  "create",
                                                      "update", "patch", "delete", "discover"};
  return kTexts.at(static_cast<size_t>(verb));
}

struct FaultScript::State {
  struct Outcome {
    absl::Status error;
    bool lose = false;
  };
  struct Holding {
    Calls calls;
    std::vector<std::shared_ptr<Wakeup>> held;
  };

  struct Record {
    int count = 0;
    uint64_t last = 0;  // the number of the last such call among all calls
    std::optional<UserInfo> user;
  };

  Clock* const clock;
  mutable Mutex mutex;
  std::list<Scripted<Outcome>> outcomes ABSL_GUARDED_BY(mutex);
  std::list<Scripted<absl::Duration>> delays ABSL_GUARDED_BY(mutex);
  std::list<Holding> holds ABSL_GUARDED_BY(mutex);
  std::map<Calls, Record> records ABSL_GUARDED_BY(mutex);
  uint64_t calls ABSL_GUARDED_BY(mutex) = 0;

  explicit State(Clock* c) : clock(c) {}

  void Count(const Calls& call, const std::optional<UserInfo>& user)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Record& record = records[call];
    ++record.count;
    record.last = ++calls;
    record.user = user;
  }
  // Counts the call. Returns the hold for which it must wait, or null.
  std::shared_ptr<Wakeup> Begin(const Calls& call, const std::optional<UserInfo>& user,
                                const asio::any_io_executor& executor) {
    MutexLock lock(&mutex);
    Count(call, user);
    for (Holding& holding : holds) {
      if (!Covers(holding.calls, call)) continue;
      holding.held.push_back(std::make_shared<Wakeup>(executor));
      return holding.held.back();
    }
    return nullptr;
  }
  absl::Duration TakeDelay(const Calls& call) {
    MutexLock lock(&mutex);
    return TakeFirst(delays, call).value_or(absl::ZeroDuration());
  }
  Outcome TakeOutcome(const Calls& call) {
    MutexLock lock(&mutex);
    return TakeFirst(outcomes, call).value_or(Outcome{});
  }

  static Task<bool> Enter(std::shared_ptr<State> state, Calls call, std::optional<UserInfo> user) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    if (const std::shared_ptr<Wakeup> held = state->Begin(call, user, executor)) {
      co_await held->Wait();
    }
    const absl::Duration delay = state->TakeDelay(call);
    if (delay > absl::ZeroDuration()) co_await state->clock->Sleep(delay);
    Outcome outcome = state->TakeOutcome(call);
    if (!outcome.error.ok()) co_return std::move(outcome.error);
    co_return outcome.lose;
  }
};

FaultScript::FaultScript(Clock* clock) : state_(std::make_shared<State>(clock)) {}

void FaultScript::FailNext(const Calls& calls, absl::Status error, int times) {
  MutexLock lock(&state_->mutex);
  state_->outcomes.push_back({calls, {std::move(error)}, times});
}

void FaultScript::LoseNext(const Calls& calls, int times) {
  MutexLock lock(&state_->mutex);
  state_->outcomes.push_back({calls, {absl::OkStatus(), true}, times});
}

void FaultScript::DelayNext(const Calls& calls, absl::Duration delay, int times) {
  MutexLock lock(&state_->mutex);
  state_->delays.push_back({calls, delay, times});
}

void FaultScript::Hold(const Calls& calls) {
  MutexLock lock(&state_->mutex);
  state_->holds.push_back({calls, {}});
}

void FaultScript::Release(const Calls& calls) {
  MutexLock lock(&state_->mutex);
  state_->holds.remove_if([&calls](const State::Holding& holding) {
    if (holding.calls != calls) return false;
    for (const std::shared_ptr<Wakeup>& held : holding.held) held->Wake();
    return true;
  });
}

void FaultScript::Forget(const GroupVersionResource& gvr) {
  MutexLock lock(&state_->mutex);
  state_->outcomes.remove_if([&gvr](const auto& scripted) { return scripted.calls.gvr == gvr; });
  state_->delays.remove_if([&gvr](const auto& scripted) { return scripted.calls.gvr == gvr; });
  state_->holds.remove_if([&gvr](const State::Holding& holding) {
    if (holding.calls.gvr != gvr) return false;
    for (const std::shared_ptr<Wakeup>& held : holding.held) held->Wake();
    return true;
  });
}

int FaultScript::calls(const Calls& calls) const {
  MutexLock lock(&state_->mutex);
  int sum = 0;
  for (const auto& [call, record] : state_->records) {
    if (Covers(calls, call)) sum += record.count;
  }
  return sum;
}

std::optional<UserInfo> FaultScript::last_user(const Calls& calls) const {
  MutexLock lock(&state_->mutex);
  const State::Record* last = nullptr;
  for (const auto& [call, record] : state_->records) {
    if (!Covers(calls, call)) continue;
    if (last == nullptr || record.last > last->last) last = &record;
  }
  return last == nullptr ? std::nullopt : last->user;
}

Task<bool> FaultScript::Enter(ClientVerb verb, GroupVersionResource gvr, std::string name,
                              std::optional<UserInfo> user) {
  Calls call{verb, std::move(gvr), std::move(name), user ? user->name : std::string()};
  return State::Enter(state_, std::move(call), std::move(user));
}

}  // namespace steward::kube
