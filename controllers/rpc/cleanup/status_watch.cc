#include "controllers/rpc/cleanup/status_watch.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/async/broadcast.h"
#include "base/status/macros.h"
#include "controllers/rpc/cleanup/messages.h"
#include "storage/world/number.h"
#include "storage/world/world.h"

namespace steward::rpc {
namespace {

std::chrono::steady_clock::time_point SteadyIn(absl::Duration duration) {
  return std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(duration);
}

cleanup::v1::WatchResponse Changed(const olm::CleanupOutlook& outlook) {
  cleanup::v1::WatchResponse message;
  WriteStatus(outlook, *message.mutable_changed());
  return message;
}

cleanup::v1::WatchResponse Removed(const kube::NamespacedName& key) {
  cleanup::v1::WatchResponse message;
  message.mutable_removed()->set_namespace_(key.ns);
  message.mutable_removed()->set_name(key.name);
  return message;
}

}  // namespace

StatusWatch::StatusWatch(storage::WorldStore& worlds, storage::RewindCache& past,
                         const OutlookSource& source, Clock& clock, std::string ns,
                         StatusSink& sink, StatusWatchOptions options)
    : worlds_(worlds),
      past_(past),
      source_(source),
      clock_(clock),
      ns_(std::move(ns)),
      sink_(sink),
      options_(options),
      told_(clock.Monotonic()) {}

storage::OutlookMap::const_iterator StatusWatch::Begin(const storage::OutlookMap& map) const {
  return ns_.empty() ? map.begin() : map.lower_bound({ns_, ""});
}

bool StatusWatch::Includes(const storage::OutlookMap& map,
                           storage::OutlookMap::const_iterator it) const {
  return it != map.end() && (ns_.empty() || it->first.ns == ns_);
}

StatusTask StatusWatch::Send(cleanup::v1::WatchResponse message, const std::string& token) {
  message.set_resume_token(token);
  CO_RETURN_IF_ERROR(co_await sink_.Write(std::move(message)));
  token_ = token;
  told_ = clock_.Monotonic();
  co_return absl::OkStatus();
}

boost::asio::awaitable<bool> StatusWatch::Resume(std::string token) {
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
  sent_ = source_(past);
  token_ = std::move(token);
  co_return true;
}

StatusTask StatusWatch::SendSnapshot() {
  const storage::Moment moment = worlds_.Now();
  const storage::OutlookMapPtr all = source_(moment.world);
  cleanup::v1::WatchResponse begin;
  begin.mutable_snapshot_begin();
  CO_RETURN_IF_ERROR(co_await Send(std::move(begin), ""));
  for (auto it = Begin(*all); Includes(*all, it); ++it) {
    CO_RETURN_IF_ERROR(co_await Send(Changed(*it->second), ""));
  }
  cleanup::v1::WatchResponse end;
  end.mutable_snapshot_end();
  sent_ = all;
  co_return co_await Send(std::move(end), moment.number().ToString());
}

StatusTask StatusWatch::SendChanges(storage::OutlookMapPtr now, std::string token) {
  // Each message is held back until the next, so that the last one can carry the new token.
  bool any = false;
  cleanup::v1::WatchResponse last;
  auto before = Begin(*sent_);
  auto after = Begin(*now);
  while (true) {
    const bool has_before = Includes(*sent_, before);
    const bool has_after = Includes(*now, after);
    if (!has_before && !has_after) break;
    cleanup::v1::WatchResponse next;
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
  cleanup::v1::WatchResponse progress;
  progress.mutable_progress();
  co_return co_await Send(std::move(progress), token);
}

StatusTask StatusWatch::Run(std::string resume_token) {
  const absl::Duration end = clock_.Monotonic() + options_.life;
  bool resumed = false;
  if (!resume_token.empty()) resumed = co_await Resume(std::move(resume_token));
  if (!resumed) CO_RETURN_IF_ERROR(co_await SendSnapshot());
  storage::WorldPtr seen;
  while (clock_.Monotonic() < end) {
    const Broadcast::Ticket ticket = worlds_.published().Now();
    const storage::Moment moment = worlds_.Now();
    const bool due = clock_.Monotonic() - told_ >= options_.progress;
    if (moment.world != seen || due) {
      CO_RETURN_IF_ERROR(co_await SendChanges(source_(moment.world), moment.number().ToString()));
      seen = moment.world;
    }
    co_await worlds_.published().WaitSince(ticket, SteadyIn(options_.progress));
    if (options_.pace > absl::ZeroDuration()) co_await clock_.Sleep(options_.pace);
  }
  co_return absl::OkStatus();
}

}  // namespace steward::rpc
