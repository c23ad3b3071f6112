#include "controllers/runtime/queue/work_queue.h"

#include <algorithm>
#include <chrono>

#include "base/async/race.h"

namespace steward::controllers {
namespace {

constexpr auto kForEver = std::chrono::steady_clock::time_point::max();

}  // namespace

WorkQueue::WorkQueue(RateLimits limits, Clock& clock, QueueMetrics& metrics)
    : clock_(clock), metrics_(metrics), limiter_(limits, clock) {}

WorkQueue::~WorkQueue() {
  metrics_.SetDepth(0);
  metrics_.SetUnfinished(absl::ZeroDuration(), absl::ZeroDuration());
}

void WorkQueue::PushReady(const Key& key) {
  ready_.push_back(key);
  metrics_.SetDepth(ready_.size());
  ready_changed_.Notify();
}

void WorkQueue::Want(const Key& key, Entry& entry) {
  if (entry.wanted) {
    // The key was added again, so it may suit another worker now.
    if (!entry.running) ready_changed_.Notify();
    return;
  }
  entry.wanted = true;
  entry.wanted_since = clock_.Monotonic();
  metrics_.Added();
  // If the key is running, Done makes it ready.
  if (!entry.running) PushReady(key);
}

void WorkQueue::Undelay(const Key& key, Entry& entry) {
  if (!entry.due.has_value()) return;
  delays_.erase({*entry.due, key});
  entry.due.reset();
}

void WorkQueue::EraseIfIdle(Entries::iterator it) {
  const Entry& entry = it->second;
  if (!entry.wanted && !entry.running && !entry.due.has_value()) entries_.erase(it);
}

void WorkQueue::Add(const Key& key) {
  if (shut_down_) return;
  Want(key, entries_[key]);
}

void WorkQueue::AddAfter(const Key& key, absl::Duration delay) {
  if (delay <= absl::ZeroDuration()) return Add(key);
  if (shut_down_) return;
  const absl::Duration due = clock_.Monotonic() + delay;
  Entry& entry = entries_[key];
  if (entry.due.has_value() && *entry.due <= due) return;
  Undelay(key, entry);
  entry.due = due;
  delays_.insert({due, key});
  delays_changed_.Notify();
}

void WorkQueue::AddRateLimited(const Key& key, absl::Duration at_least) {
  if (shut_down_) return;
  metrics_.Retried();
  AddAfter(key, std::max(at_least, limiter_.Next(key)));
}

boost::asio::awaitable<std::optional<Key>> WorkQueue::Take(Suits suits) {
  const auto next = [this, &suits] {
    return suits ? std::find_if(ready_.begin(), ready_.end(), suits) : ready_.begin();
  };
  auto found = next();
  while (!shut_down_ && found == ready_.end()) {
    co_await ready_changed_.WaitSince(ready_changed_.Now(), kForEver);
    found = next();
  }
  if (shut_down_) co_return std::nullopt;
  const Key key = *found;
  ready_.erase(found);
  metrics_.SetDepth(ready_.size());
  Entry& entry = entries_.at(key);
  const absl::Duration now = clock_.Monotonic();
  metrics_.Taken(now - entry.wanted_since);
  entry.wanted = false;
  entry.running = true;
  entry.running_since = now;
  ++running_;
  co_return key;
}

void WorkQueue::Done(const Key& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end() || !it->second.running) return;
  it->second.running = false;
  --running_;
  metrics_.Finished(clock_.Monotonic() - it->second.running_since);
  if (it->second.wanted && !shut_down_) PushReady(key);
  EraseIfIdle(it);
}

VoidTask WorkQueue::RunDelays() {
  while (true) {
    const Broadcast::Ticket ticket = delays_changed_.Now();
    const absl::Duration now = clock_.Monotonic();
    while (!delays_.empty() && delays_.begin()->first <= now) {
      const Key key = delays_.begin()->second;
      Entry& entry = entries_.at(key);
      Undelay(key, entry);
      Want(key, entry);
    }
    VoidTask changed = delays_changed_.WaitSince(ticket, kForEver);
    if (delays_.empty()) {
      co_await std::move(changed);
    } else {
      VoidTask due = clock_.Sleep(delays_.begin()->first - now);
      co_await UntilOneEnds(std::move(due), std::move(changed));
    }
  }
}

void WorkQueue::MeasureUnfinished() {
  absl::Duration sum;
  absl::Duration longest;
  const absl::Duration now = clock_.Monotonic();
  if (running_ > 0) {
    for (const auto& [key, entry] : entries_) {
      if (!entry.running) continue;
      sum += now - entry.running_since;
      longest = std::max(longest, now - entry.running_since);
    }
  }
  metrics_.SetUnfinished(sum, longest);
}

void WorkQueue::ShutDown() {
  shut_down_ = true;
  ready_.clear();
  metrics_.SetDepth(0);
  for (auto it = entries_.begin(); it != entries_.end();) {
    Undelay(it->first, it->second);
    it->second.wanted = false;
    const auto next = std::next(it);
    EraseIfIdle(it);
    it = next;
  }
  ready_changed_.Notify();
  delays_changed_.Notify();
}

}  // namespace steward::controllers
