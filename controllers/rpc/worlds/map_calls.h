// The methods Get, List and Watch of a service whose items are made of Worlds. Lives on one
// executor.
#ifndef CONTROLLERS_RPC_WORLDS_MAP_CALLS_H_
#define CONTROLLERS_RPC_WORLDS_MAP_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/bridge/request_checks.h"
#include "controllers/rpc/worlds/list_start.h"
#include "controllers/rpc/worlds/map_source.h"
#include "controllers/rpc/worlds/map_watch.h"
#include "controllers/rpc/worlds/synced.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

// Checks a request of List. Pure, as the next.
template <typename Request>
absl::Status CheckListRequest(const Request& request) {
  RETURN_IF_ERROR(CheckScope(request.namespace_()));
  return PageSize(request.page_size()).status();
}

// Checks a request of Watch.
template <typename Request>
absl::Status CheckWatchRequest(const Request& request) {
  return CheckScope(request.namespace_());
}

// The requests and responses have the form of those in proto/steward/cleanup/v1/cleanup.proto. As
// their items have names of their own, each method takes the accessor of the response's. REQUIRES
// of each method: the request has been checked, and the requester authorized. Errors carry a
// Kubernetes Status.
template <typename Value, typename Item>
class MapCalls {
 public:
  // `resource` is named in a 404. REQUIRES: `clock` and `worlds` outlive this object and its calls.
  MapCalls(Clock& clock, storage::WorldStore& worlds, MapSource<Value, Item> source,
           kube::GroupVersionResource resource, MapWatchOptions watch)
      : clock_(clock),
        worlds_(worlds),
        source_(std::move(source)),
        resource_(std::move(resource)),
        watch_(watch) {}

  template <typename Request, typename Response>
  Task<Response> Get(Request request, Item* (Response::*item)()) {
    const storage::WorldSnapshot moment = worlds_.Now();
    CO_RETURN_IF_ERROR(CheckSynced(*moment.world));
    const auto map = source_.of(moment.world);
    const auto found = map->find({request.namespace_(), request.name()});
    if (found == map->end()) {
      co_return kube::ToStatus(kube::NotFound(resource_, request.name()));
    }
    Response response;
    source_.write(*found->second, *(response.*item)());
    response.set_resume_token(moment.number().ToString());
    co_return response;
  }

  template <typename Request, typename Response>
  Task<Response> List(Request request, Item* (Response::*add)()) {
    const std::string& ns = request.namespace_();
    CO_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size()));
    const PageBinding binding = PageBinding::Of(request);
    CO_ASSIGN_OR_RETURN(ListStart start,
                        co_await StartList(worlds_, past_, request.page_token(), binding, ns));
    const auto map = source_.of(start.world);
    // No key sorts between {ns, ""} and the namespace after `ns`, and no name is empty: whatever
    // the position, the loop begins in [low, high] and ends at `end`.
    const kube::NamespacedName low{ns, ""};
    const kube::NamespacedName high{ns + '\0', ""};
    const kube::NamespacedName& after = start.token.after;
    const auto end = ns.empty() ? map->end() : map->lower_bound(high);
    auto next = map->upper_bound(ns.empty() ? after : std::clamp(after, low, high));
    Response response;
    size_t count = 0;
    size_t bytes = 0;
    for (; next != end && count < size; ++next, ++count) {
      Item item;
      source_.write(*next->second, item);
      bytes += item.ByteSizeLong();
      // A large item gets a page of its own.
      if (count > 0 && bytes > kMaxPageBytes) break;
      *(response.*add)() = std::move(item);
      start.token.after = next->first;
    }
    response.set_resume_token(start.token.number.ToString());
    if (next != end) {
      response.set_remaining(std::distance(next, end));
      response.set_next_page_token(start.token.ToString(binding));
    }
    co_return response;
  }

  template <typename Request, typename Message>
  StatusTask Watch(Request request, MessageSink<Message>& sink) {
    CO_RETURN_IF_ERROR(CheckSynced(*worlds_.Current()));
    MapWatch<Value, Item, Message> watch(worlds_, past_, source_, clock_, request.namespace_(),
                                         sink, watch_);
    co_return co_await watch.Run(request.resume_token());
  }

 private:
  Clock& clock_;
  storage::WorldStore& worlds_;
  const MapSource<Value, Item> source_;
  const kube::GroupVersionResource resource_;
  const MapWatchOptions watch_;
  storage::RewindCache past_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_WORLDS_MAP_CALLS_H_
