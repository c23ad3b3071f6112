#include "controllers/runtime/events/cluster_events.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/async/backoff.h"
#include "base/async/race.h"
#include "base/clock/time_limit.h"
#include "base/json/utf8.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_object.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/meta/time.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr size_t kMaxMessage = 1024;
constexpr size_t kMaxReason = 128;
constexpr auto kForEver = std::chrono::steady_clock::time_point::max();

// The namespace of an Event; "default" for cluster-scoped objects.
std::string NamespaceOf(const kube::NamespacedName& about) {
  return about.ns.empty() ? "default" : about.ns;
}

// A name in the usual form of Events, "<object>.<unique>", if that is a valid name.
std::string NewName(std::string_view object, absl::Time time, uint32_t number) {
  const std::string unique = absl::StrFormat("%x%05x", absl::ToUnixMicros(time), number & 0xFFFFF);
  std::string name = StrCat(CutUtf8(object, 230), ".", unique);
  return kube::IsDns1123Subdomain(name) ? name : StrCat("event.", unique);
}

// True if the cluster refuses the event, and would refuse it again.
bool IsFinal(const absl::Status& status) {
  const int code = kube::FromStatus(status).code;
  return code == 403 || code == 404 || code == 409 || code == 422;
}

}  // namespace

struct ClusterEvents::Event {
  std::string name;  // in the cluster; "" = not written yet
  int64_t count = 0;
  absl::Time first;
  absl::Time last;
  Order::iterator use;
  std::optional<Order::iterator> wait;
};

struct ClusterEvents::Bucket {
  double tokens = 0;
  absl::Duration filled_at;
};

ClusterEvents::ClusterEvents(kube::Client& client, Clock& clock, Random& random,
                             ClusterEventsOptions options, prometheus::Registry& registry)
    : client_(client),
      clock_(clock),
      random_(random),
      options_(std::move(options)),
      number_(static_cast<uint32_t>(random.Uniform() * (1 << 20))),
      written_(Counter(registry, "written")),
      failed_(Counter(registry, "failed")),
      dropped_(Counter(registry, "dropped")) {}

ClusterEvents::~ClusterEvents() = default;

prometheus::Counter& ClusterEvents::Counter(prometheus::Registry& registry, const char* result) {
  return CounterFamily(
             registry, "steward_events_total",
             "Events by what became of them: written to the cluster, failed to be, or dropped for "
             "there being too many.")
      .Add({{"result", result}});
}

void ClusterEvents::Record(const ObjectReference& about, EventType type, std::string_view reason,
                           std::string_view message) {
  Identity identity{about.name,
                    about.gvk,
                    about.uid,
                    type,
                    std::string(CutUtf8(reason, kMaxReason)),
                    std::string(CutUtf8(message, kMaxMessage))};
  auto [it, is_new] = events_.try_emplace(std::move(identity));
  Event& event = it->second;
  const absl::Time now = clock_.Now();
  if (is_new) {
    event.first = now;
    event.use = by_use_.insert(by_use_.end(), &it->first);
  } else {
    by_use_.splice(by_use_.end(), by_use_, event.use);
  }
  ++event.count;
  event.last = now;
  if (!event.wait.has_value()) event.wait = waiting_.insert(waiting_.end(), &it->first);
  if (events_.size() > options_.max_events) ForgetOldest();
  changed_.Notify();
}

void ClusterEvents::ForgetOldest() {
  const auto it = events_.find(*by_use_.front());
  if (it->second.wait.has_value()) {
    waiting_.erase(*it->second.wait);
    dropped_.Increment();
  }
  by_use_.pop_front();
  events_.erase(it);
}

bool ClusterEvents::TakeToken(const std::string& uid, absl::Duration& wait) {
  const absl::Duration now = clock_.Monotonic();
  const auto [it, is_new] = buckets_.try_emplace(uid);
  Bucket& bucket = it->second;
  if (is_new) bucket = {options_.burst, now};
  bucket.tokens += absl::FDivDuration(now - bucket.filled_at, options_.interval);
  bucket.tokens = std::min(bucket.tokens, options_.burst);
  bucket.filled_at = now;
  if (bucket.tokens < 1) {
    wait = std::min(wait, (1 - bucket.tokens) * options_.interval);
    return false;
  }
  bucket.tokens -= 1;
  return true;
}

// Drops buckets that have filled up again, because they equal new ones.
void ClusterEvents::SweepBuckets() {
  if (buckets_.size() <= options_.max_events) return;
  const absl::Duration now = clock_.Monotonic();
  std::erase_if(buckets_, [this, now](const auto& entry) {
    const Bucket& bucket = entry.second;
    return bucket.tokens + absl::FDivDuration(now - bucket.filled_at, options_.interval) >=
           options_.burst;
  });
  // If all buckets are in use, drop the fullest, so that objects which spent the most stay limited.
  while (buckets_.size() > options_.max_events) {
    buckets_.erase(std::max_element(
        buckets_.begin(), buckets_.end(),
        [](const auto& a, const auto& b) { return a.second.tokens < b.second.tokens; }));
  }
}

const ClusterEvents::Identity* ClusterEvents::NextWritable(absl::Duration& wait) {
  wait = absl::InfiniteDuration();
  for (const Identity* identity : waiting_) {
    if (TakeToken(identity->uid, wait)) return identity;
  }
  return nullptr;
}

Task<json::value> ClusterEvents::Create(Identity identity) {
  const Event& event = events_.at(identity);
  const std::string ns = NamespaceOf(identity.name);
  const std::string name = NewName(identity.name.name, event.last, ++number_);
  const EventObject content{.name = {ns, name},
                            .about = {identity.gvk, identity.name, identity.uid},
                            .type = identity.type,
                            .reason = identity.reason,
                            .message = identity.message,
                            .component = options_.component,
                            .instance = options_.instance,
                            .first = event.first,
                            .last = event.last,
                            .count = event.count};
  const json::value object = content.ToJson();
  const kube::WriteOptions options;
  CO_ASSIGN_OR_RETURN(json::value created, co_await client_.Create(kEvents, ns, object, options));
  // The event may have been dropped meanwhile.
  if (const auto it = events_.find(identity); it != events_.end()) it->second.name = name;
  co_return created;
}

Task<json::value> ClusterEvents::Count(Identity identity) {
  const Event& event = events_.at(identity);
  const json::value patch = {{"count", event.count},
                             {"lastTimestamp", kube::FormatRfc3339(event.last)}};
  const kube::NamespacedName name = {NamespaceOf(identity.name), event.name};
  const kube::WriteOptions options;
  co_return co_await client_.Patch(kEvents, name, kube::PatchType::kJsonMerge, patch, options);
}

// Writes the event in its present state. REQUIRES: events_ has `identity`.
Task<json::value> ClusterEvents::WriteOnce(Identity identity) {
  if (events_.at(identity).name.empty()) co_return co_await Create(std::move(identity));
  absl::StatusOr<json::value> patched = co_await Count(identity);
  if (!kube::SaysNotFound(patched.status())) co_return std::move(patched);
  // The Event is gone, because clusters keep Events for about an hour only. Create a new one.
  const auto again = events_.find(identity);
  if (again == events_.end()) co_return json::value();
  again->second.name.clear();
  again->second.first = again->second.last;
  again->second.count = 1;
  co_return co_await Create(std::move(identity));
}

StatusTask ClusterEvents::Write(Identity identity) {
  Backoff backoff({}, random_);
  absl::Status status;
  for (int i = 0; i < options_.tries; ++i) {
    if (i > 0) co_await clock_.Sleep(backoff.Next());
    if (!events_.contains(identity)) break;
    status =
        (co_await WithTimeout(clock_, options_.write_timeout, "the Event", WriteOnce(identity)))
            .status();
    if (status.ok() || IsFinal(status)) break;
  }
  co_return status;
}

VoidTask ClusterEvents::WriteNext(const Identity* next) {
  const Identity identity = *next;
  Event& event = events_.at(identity);
  waiting_.erase(*event.wait);
  event.wait.reset();
  struct Writing {
    bool& flag;
    Broadcast& changed;
    ~Writing() {
      flag = false;
      changed.Notify();
    }
  } writing{writing_, changed_};
  writing_ = true;
  const absl::Status status = co_await Write(identity);
  if (status.ok()) {
    written_.Increment();
    co_return;
  }
  failed_.Increment();
  log::Warning("An event could not be written", {{"reason", identity.reason},
                                                 {"namespace", identity.name.ns},
                                                 {"name", identity.name.name},
                                                 {"message", identity.message},
                                                 {"err", status}});
}

VoidTask ClusterEvents::Run() {
  while (true) {
    const Broadcast::Ticket ticket = changed_.Now();
    absl::Duration wait;
    if (const Identity* next = NextWritable(wait)) {
      SweepBuckets();
      co_await WriteNext(next);
      continue;
    }
    VoidTask changed = changed_.WaitSince(ticket, kForEver);
    if (wait == absl::InfiniteDuration()) {
      co_await std::move(changed);
    } else {
      VoidTask due = clock_.Sleep(wait);
      co_await UntilOneEnds(std::move(due), std::move(changed));
    }
  }
}

bool ClusterEvents::HasWritable() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [this](const Identity* identity) {
    const auto it = buckets_.find(identity->uid);
    if (it == buckets_.end()) return true;
    const absl::Duration since = clock_.Monotonic() - it->second.filled_at;
    return it->second.tokens + absl::FDivDuration(since, options_.interval) >= 1;
  });
}

VoidTask ClusterEvents::UntilIdle() {
  while (writing_ || HasWritable()) co_await changed_.WaitSince(changed_.Now(), kForEver);
}

VoidTask ClusterEvents::Flush(absl::Duration limit) {
  if (!writing_ && !HasWritable()) co_return;
  VoidTask timeout = clock_.Sleep(limit);
  VoidTask idle = UntilIdle();
  co_await UntilOneEnds(std::move(timeout), std::move(idle));
}

}  // namespace steward::controllers
