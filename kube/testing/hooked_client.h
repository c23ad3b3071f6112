// A client whose calls a test sees and decides about. Not thread-safe.
#ifndef KUBE_TESTING_HOOKED_CLIENT_H_
#define KUBE_TESTING_HOOKED_CLIENT_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

struct HookedCall {
  std::string verb;  // get, list, create, update, patch, delete, discover
  GroupVersionResource gvr;
  NamespacedName name;
  std::string as;                              // the acting user; "" = nobody else
  const boost::json::value* object = nullptr;  // of a write
  const DeleteOptions* deletion = nullptr;     // of a deletion
  bool dry_run = false;                        // of a write that changes nothing
  bool metadata_only = false;                  // of a list

  bool writes() const { return !dry_run && (object != nullptr || deletion != nullptr); }
};

struct HookedFate {
  absl::Status error;       // the call fails with it, and did not happen
  bool lost = false;        // it happens, and its answer is lost
  bool dies = false;        // the process ends instead of the call
  bool dies_after = false;  // it happens, and the process ends before it sees the answer
};

// The state that a client shares with those made of it by As.
struct Hook {
  std::function<HookedFate(const HookedCall& call)> decide;
  // Whether `decide` is asked about writes that change nothing, too.
  bool sees_dry_runs = true;
  // The executor of the process, which ends when it dies.
  boost::asio::io_context* process = nullptr;
  bool died = false;
};

// Each call of the inner client, whose work may be done by other threads, is complete before
// anything else happens.
class HookedClient : public Client {
 public:
  // REQUIRES: the references outlive this object.
  HookedClient(Client& inner, Hook& hook, std::string as = "")
      : inner_(inner), hook_(hook), as_(std::move(as)) {}

  Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) override {
    return Make({"get", gvr, name, as_, nullptr}, inner_.Get(gvr, name));
  }
  Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) override {
    HookedCall call{"list", gvr, {options.ns, ""}, as_, nullptr};
    call.metadata_only = options.metadata_only;
    return Make(std::move(call), inner_.List(gvr, options));
  }
  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                          const WatchOptions& options) override {
    return inner_.StartWatch(gvr, options);
  }
  Task<boost::json::value> Create(const GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const WriteOptions& options) override {
    return Make(
        {"create", gvr, {ns, MetadataText(object, "name")}, as_, &object, nullptr, options.dry_run},
        inner_.Create(gvr, ns, object, options));
  }
  Task<boost::json::value> Update(const GroupVersionResource& gvr, const boost::json::value& object,
                                  const WriteOptions& options) override {
    return Make({"update", gvr, NameOf(object), as_, &object, nullptr, options.dry_run},
                inner_.Update(gvr, object, options));
  }
  Task<boost::json::value> Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                 PatchType type, const boost::json::value& patch,
                                 const WriteOptions& options) override {
    return Make({"patch", gvr, name, as_, &patch, nullptr, options.dry_run},
                inner_.Patch(gvr, name, type, patch, options));
  }
  Task<boost::json::value> Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                  const DeleteOptions& options) override {
    return Make({"delete", gvr, name, as_, nullptr, &options, options.dry_run},
                inner_.Delete(gvr, name, options));
  }
  Task<std::vector<ApiResource>> Discover(const GroupVersion& gv) override {
    return Make({"discover", {gv.group, gv.version, ""}, {}, as_, nullptr}, inner_.Discover(gv));
  }
  Task<std::vector<GroupVersion>> DiscoverGroups() override {
    return Make({"discover", {}, {}, as_, nullptr}, inner_.DiscoverGroups());
  }
  std::unique_ptr<Client> As(const UserInfo& user) override {
    return std::make_unique<HookedClient>(inner_, hook_, user.name);
  }

 private:
  template <typename T>
  Task<T> Make(HookedCall call, Task<T> inner) {
    const bool asked = hook_.decide && (hook_.sees_dry_runs || !call.dry_run);
    const HookedFate fate = asked ? hook_.decide(call) : HookedFate();
    if (fate.dies) co_await Die();
    if (!fate.error.ok()) co_return fate.error;
    boost::asio::io_context io(1);
    absl::StatusOr<T> answer = RunOn(io, std::move(inner));
    if (fate.dies_after) co_await Die();
    if (fate.lost) co_return absl::UnavailableError("connection reset");
    co_return answer;
  }

  boost::asio::awaitable<void> Die() {
    hook_.died = true;
    hook_.process->stop();
    boost::asio::steady_timer never(co_await boost::asio::this_coro::executor,
                                    boost::asio::steady_timer::time_point::max());
    co_await never.async_wait(boost::asio::use_awaitable);
  }

  Client& inner_;
  Hook& hook_;
  const std::string as_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_HOOKED_CLIENT_H_
