// A watch of the items of a service, for one client. Lives on one executor.
#ifndef CONTROLLERS_RPC_WORLDS_MAP_WATCH_H_
#define CONTROLLERS_RPC_WORLDS_MAP_WATCH_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/worlds/map_source.h"
#include "kube/meta/names.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

struct MapWatchOptions {
  // The time between two checks for changes; changes within it are merged.
  absl::Duration pace = absl::Milliseconds(100);
  // The interval at which a client that sees no change gets a newer token.
  absl::Duration progress = absl::Seconds(30);
  // The duration after which the watch ends, so that its rights are checked again.
  absl::Duration life = absl::Minutes(30);
  // The longest wait for a state that other replicas have shown already.
  absl::Duration catch_up = absl::Seconds(3);
};

// One watch. It remembers only the last state that it sent: while the client is slow, states merge,
// and nothing is queued. Run is called once. `Message` has the form of WatchResponse in
// proto/steward/cleanup/v1/cleanup.proto.
template <typename Value, typename Item, typename Message>
class MapWatch {
 public:
  using Source = MapSource<Value, Item>;

  // `ns` "" = all namespaces. REQUIRES: the references outlive this object.
  MapWatch(storage::WorldStore& worlds, storage::RewindCache& past, const Source& source,
           Clock& clock, std::string ns, MessageSink<Message>& sink, MapWatchOptions options)
      : worlds_(worlds),
        past_(past),
        source_(source),
        clock_(clock),
        ns_(std::move(ns)),
        sink_(sink),
        options_(options),
        told_(clock.Monotonic()) {}

  // Runs from the state of `resume_token`, or with a snapshot, until `life` has passed (OK), the
  // sink fails, or it is cancelled.
  StatusTask Run(std::string resume_token) {
    const absl::Duration end = clock_.Monotonic() + options_.life;
    bool resumed = false;
    if (!resume_token.empty()) resumed = co_await Resume(std::move(resume_token));
    if (!resumed) CO_RETURN_IF_ERROR(co_await SendSnapshot());
    storage::WorldPtr seen;
    while (clock_.Monotonic() < end) {
      const Broadcast::Ticket ticket = worlds_.published().Now();
      const storage::WorldSnapshot moment = worlds_.Now();
      const bool due = clock_.Monotonic() - told_ >= options_.progress;
      if (moment.world != seen || due) {
        CO_RETURN_IF_ERROR(
            co_await SendChanges(source_.of(moment.world), moment.number().ToString()));
        seen = moment.world;
      }
      co_await worlds_.published().WaitSince(
          ticket, std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(options_.progress));
      if (options_.pace > absl::ZeroDuration()) co_await clock_.Sleep(options_.pace);
    }
    co_return absl::OkStatus();
  }

 private:
  using Map = typename Source::Map;
  using MapPtr = typename Source::MapPtr;
  using Place = typename Map::const_iterator;

  boost::asio::awaitable<bool> Resume(std::string token) {
    const absl::StatusOr<storage::Number> number = storage::Number::Parse(token);
    if (!number.ok()) co_return false;
    const storage::StateVector vector = number->vector;
    const storage::WorldPtr world = co_await worlds_.WaitUntil(
        [vector](const storage::World& newer) {
          return newer.Knows(vector) != storage::Knowledge::kNotYet;
        },
        options_.catch_up);
    if (world->Knows(vector) != storage::Knowledge::kKnown) co_return false;
    const storage::WorldPtr past = co_await past_.At(world, vector);
    sent_ = source_.of(past);
    token_ = std::move(token);
    co_return true;
  }

  StatusTask SendSnapshot() {
    const storage::WorldSnapshot moment = worlds_.Now();
    const MapPtr all = source_.of(moment.world);
    Message begin;
    begin.mutable_snapshot_begin();
    CO_RETURN_IF_ERROR(co_await Send(std::move(begin), ""));
    for (Place it = Begin(*all); Includes(*all, it); ++it) {
      CO_RETURN_IF_ERROR(co_await Send(Changed(*it->second), ""));
    }
    Message end;
    end.mutable_snapshot_end();
    sent_ = all;
    co_return co_await Send(std::move(end), moment.number().ToString());
  }

  // Sends the changes from `sent_` to `now`, and then the token.
  StatusTask SendChanges(MapPtr now, std::string token) {
    // Each message is held back until the next, so that the last one can carry the new token.
    bool any = false;
    Message last;
    Place before = Begin(*sent_);
    Place after = Begin(*now);
    while (true) {
      const bool has_before = Includes(*sent_, before);
      const bool has_after = Includes(*now, after);
      if (!has_before && !has_after) break;
      Message next;
      if (!has_after || (has_before && before->first < after->first)) {
        next = Removed(before->first);
        ++before;
      } else if (!has_before || after->first < before->first) {
        next = Changed(*after->second);
        ++after;
      } else {
        const bool same = before->second == after->second || *before->second == *after->second;
        if (!same) next = Changed(*after->second);
        ++before;
        ++after;
        if (same) continue;
      }
      if (any) CO_RETURN_IF_ERROR(co_await Send(std::move(last), token_));
      last = std::move(next);
      any = true;
    }
    sent_ = std::move(now);
    if (any) co_return co_await Send(std::move(last), token);
    if (clock_.Monotonic() - told_ < options_.progress || token == token_) {
      co_return absl::OkStatus();
    }
    Message progress;
    progress.mutable_progress();
    co_return co_await Send(std::move(progress), token);
  }

  StatusTask Send(Message message, std::string token) {
    message.set_resume_token(token);
    CO_RETURN_IF_ERROR(co_await sink_.Write(std::move(message)));
    token_ = std::move(token);
    told_ = clock_.Monotonic();
    co_return absl::OkStatus();
  }

  Message Changed(const Value& value) const {
    Message message;
    source_.write(value, *message.mutable_changed());
    return message;
  }
  static Message Removed(const kube::NamespacedName& key) {
    Message message;
    message.mutable_removed()->set_namespace_(key.ns);
    message.mutable_removed()->set_name(key.name);
    return message;
  }
  Place Begin(const Map& map) const {
    return ns_.empty() ? map.begin() : map.lower_bound({ns_, ""});
  }
  bool Includes(const Map& map, Place it) const {
    return it != map.end() && (ns_.empty() || it->first.ns == ns_);
  }

  storage::WorldStore& worlds_;
  storage::RewindCache& past_;
  const Source& source_;
  Clock& clock_;
  const std::string ns_;
  MessageSink<Message>& sink_;
  const MapWatchOptions options_;

  MapPtr sent_;          // the last state that was sent to the client
  std::string token_;    // the token of that state; "" = nothing sent yet
  absl::Duration told_;  // monotonic time of the last message
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_WORLDS_MAP_WATCH_H_
