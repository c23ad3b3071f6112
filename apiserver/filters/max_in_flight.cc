#include "apiserver/filters/max_in_flight.h"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/filters/deadline.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/request/request_info.h"
#include "apiserver/filters/request/status_response.h"
#include "base/fairness/fair_places.h"

namespace steward::filters {
namespace {

// The number of waiting requests for each place; a single user may have half of them.
constexpr int kWaitingPerPlace = 4;

FairPool::Limits LimitsOf(int places) {
  const auto count = static_cast<size_t>(places);
  const size_t waiting = count * kWaitingPerPlace;
  return {.places = count,
          .waiting_per_flow = std::max<size_t>(waiting / 2, 1),
          .waiting = waiting,
          .reserve = true};
}

bool IsMutating(const http::RequestInfo& info) {
  return info.verb != "get" && info.verb != "list" && info.verb != "watch" && info.verb != "head";
}

struct Pools {
  Pools(const InFlightLimits& limits, Clock& clock, InFlightMetrics m)
      : metrics(m.requests),
        read_only(clock, LimitsOf(limits.read_only), m.pools.Of("read-only")),
        mutating(clock, LimitsOf(limits.mutating), m.pools.Of("mutating")),
        strangers(clock, LimitsOf(limits.read_only > 0 ? limits.strangers : 0),
                  m.pools.Of("strangers")),
        watches(limits.watches),
        watch_metrics(m.pools.Of("watches")),
        request_timeout(limits.request_timeout) {}

  FairPlaces& For(const http::Request& request, const Flow& flow) {
    if (flow.stranger) return strangers;
    return IsMutating(request.info) ? mutating : read_only;
  }
  absl::Duration WaitOf(const http::Request& request) const {
    return RequestTimeout(request, request_timeout).value_or(request_timeout) / 4;
  }

  RequestMetrics& metrics;
  FairPlaces read_only;
  FairPlaces mutating;
  FairPlaces strangers;
  UserQuota watches;
  PoolMetrics::Pool watch_metrics;
  const absl::Duration request_timeout;
};

// Counts a request while it is handled.
class Counted {
 public:
  Counted(RequestMetrics& metrics, bool mutating) : metrics_(metrics), mutating_(mutating) {
    metrics_.AddInFlight(mutating_, 1);
  }
  ~Counted() { metrics_.AddInFlight(mutating_, -1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  RequestMetrics& metrics_;
  const bool mutating_;
};

// Gives the place of a watch back when the watch has settled or is refused.
class StartingWriter : public http::ResponseWriter {
 public:
  StartingWriter(http::ResponseWriter& next, FairPlaces::Place place)
      : next_(next), place_(std::move(place)) {}

  StatusTask WriteHead(http::ResponseHead head) override {
    if (head.status >= 300) place_.Release();
    return next_.WriteHead(std::move(head));
  }
  StatusTask Write(std::vector<http::Segment> segments) override {
    return next_.Write(std::move(segments));
  }
  StatusTask Finish() override {
    place_.Release();
    return next_.Finish();
  }
  void Settled() override {
    place_.Release();
    next_.Settled();
  }
  int status() const override { return next_.status(); }
  uint64_t bytes_written() const override { return next_.bytes_written(); }

 private:
  http::ResponseWriter& next_;
  FairPlaces::Place place_;
};

VoidTask RespondTooMany(http::ResponseWriter& writer) {
  http::Headers headers;
  headers.Add("Retry-After", "1");
  co_await RespondText(writer, 429, "Too many requests, please try again later.",
                       std::move(headers));
}

// A coroutine of its own, so that its state is freed while a watch lasts.
boost::asio::awaitable<FairPlaces::Place> TakePlace(Pools& pools, const http::Request& request) {
  Flow flow = FlowOf(request);
  FairPlaces& places = pools.For(request, flow);
  co_return co_await places.Take(std::move(flow.name), pools.WaitOf(request));
}

VoidTask Serve(const http::Handler& next, Pools& pools, http::Request& request,
               http::ResponseWriter& writer) {
  const FairPlaces::Place place = co_await TakePlace(pools, request);
  if (!place) {
    co_await RespondTooMany(writer);
    co_return;
  }
  const Counted counted(pools.metrics, IsMutating(request.info));
  co_await next(request, writer);
}

VoidTask ServeExempt(const http::Handler& next, Pools& pools, http::Request& request,
                     http::ResponseWriter& writer) {
  const Counted counted(pools.metrics, IsMutating(request.info));
  co_await next(request, writer);
}

VoidTask ServeWatch(const http::Handler& next, Pools& pools, http::Request& request,
                    http::ResponseWriter& writer) {
  const std::optional<UserQuota::Slot> slot = pools.watches.Take(request.user.name);
  if (!slot) {
    pools.watch_metrics.Refuse(PoolRefusal::kConcurrency);
    co_await RespondTooMany(writer);
    co_return;
  }
  FairPlaces::Place place = co_await TakePlace(pools, request);
  if (!place) {
    co_await RespondTooMany(writer);
    co_return;
  }
  StartingWriter starting(writer, std::move(place));
  co_await next(request, starting);
}

}  // namespace

http::Handler WithMaxInFlight(http::Handler next, AlwaysAllowed exempt, InFlightLimits limits,
                              Clock& clock, InFlightMetrics metrics) {
  auto pools = std::make_shared<Pools>(limits, clock, metrics);
  return [next = std::move(next), exempt = std::move(exempt), pools](http::Request& request,
                                                                     http::ResponseWriter& writer) {
    const bool is_exempt = exempt.Allows(request);
    if (IsLongRunning(request.info)) {
      return is_exempt ? next(request, writer) : ServeWatch(next, *pools, request, writer);
    }
    return is_exempt ? ServeExempt(next, *pools, request, writer)
                     : Serve(next, *pools, request, writer);
  };
}

}  // namespace steward::filters
