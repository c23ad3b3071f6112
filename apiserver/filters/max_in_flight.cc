#include "apiserver/filters/max_in_flight.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "apiserver/filters/request_info.h"
#include "apiserver/filters/status_response.h"

namespace steward::filters {
namespace {

struct Pool {
  int limit = 0;
  bool mutating = false;
  std::atomic<int> running{0};
};

struct Pools {
  Pool read_only;
  Pool mutating;
};

// One place in a pool, given back however the request ends.
class Place {
 public:
  Place(Pool& pool, RequestMetrics& metrics) : pool_(pool), metrics_(metrics) {
    const int before = pool_.running.fetch_add(1, std::memory_order_relaxed);
    over_ = pool_.limit > 0 && before >= pool_.limit;
    metrics_.AddInFlight(pool_.mutating, 1);
  }
  ~Place() {
    pool_.running.fetch_sub(1, std::memory_order_relaxed);
    metrics_.AddInFlight(pool_.mutating, -1);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  bool over() const { return over_; }

 private:
  Pool& pool_;
  RequestMetrics& metrics_;
  bool over_ = false;
};

bool IsMutating(const http::RequestInfo& info) {
  return info.verb != "get" && info.verb != "list" && info.verb != "watch" && info.verb != "head";
}

bool IsMaster(const http::UserInfo& user) {
  return std::find(user.groups.begin(), user.groups.end(), "system:masters") != user.groups.end();
}

VoidTask Serve(const http::Handler& next, Pools& pools, RequestMetrics& metrics,
               http::Request& request, http::ResponseWriter& writer) {
  std::optional<Place> place;
  place.emplace(IsMutating(request.info) ? pools.mutating : pools.read_only, metrics);
  if (place->over() && !IsMaster(request.user)) {
    // Those turned away must not fill the pool while they read their answers.
    place.reset();
    http::Headers headers;
    headers.Add("Retry-After", "1");
    co_await RespondText(writer, 429, "Too many requests, please try again later.",
                         std::move(headers));
    co_return;
  }
  co_await next(request, writer);
}

}  // namespace

http::Handler WithMaxInFlight(http::Handler next, InFlightLimits limits, RequestMetrics& metrics) {
  auto pools = std::make_shared<Pools>();
  pools->read_only.limit = limits.read_only;
  pools->mutating.limit = limits.mutating;
  pools->mutating.mutating = true;
  return [next = std::move(next), pools, &metrics](http::Request& request,
                                                   http::ResponseWriter& writer) {
    if (IsLongRunning(request.info)) return next(request, writer);
    return Serve(next, *pools, metrics, request, writer);
  };
}

}  // namespace steward::filters
