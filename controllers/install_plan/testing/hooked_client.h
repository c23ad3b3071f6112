// A client whose calls a test sees and decides about. Not thread-safe.
#ifndef CONTROLLERS_INSTALL_PLAN_TESTING_HOOKED_CLIENT_H_
#define CONTROLLERS_INSTALL_PLAN_TESTING_HOOKED_CLIENT_H_

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

namespace steward::controllers {

struct HookedCall {
  std::string verb;  // get, list, create, update, patch, delete, discover
  kube::GroupVersionResource gvr;
  kube::NamespacedName name;
  std::string as;                              // the acting user; "" = nobody else
  const boost::json::value* object = nullptr;  // of a write

  bool writes() const { return object != nullptr || verb == "delete"; }
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
  // The executor of the process, which ends when it dies.
  boost::asio::io_context* process = nullptr;
  bool died = false;
};

// Each call of the inner client, whose work may be done by other threads, is complete before
// anything else happens.
class HookedClient : public kube::Client {
 public:
  // REQUIRES: the references outlive this object.
  HookedClient(kube::Client& inner, Hook& hook, std::string as = "")
      : inner_(inner), hook_(hook), as_(std::move(as)) {}

  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override {
    return Make({"get", gvr, name, as_, nullptr}, inner_.Get(gvr, name));
  }
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    return Make({"list", gvr, {options.ns, ""}, as_, nullptr}, inner_.List(gvr, options));
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    return inner_.StartWatch(gvr, options);
  }
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override {
    return Make({"create", gvr, {ns, kube::MetadataText(object, "name")}, as_, &object},
                inner_.Create(gvr, ns, object, options));
  }
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override {
    return Make({"update", gvr, kube::NameOf(object), as_, &object},
                inner_.Update(gvr, object, options));
  }
  Task<boost::json::value> Patch(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name, kube::PatchType type,
                                 const boost::json::value& patch,
                                 const kube::WriteOptions& options) override {
    return Make({"patch", gvr, name, as_, &patch}, inner_.Patch(gvr, name, type, patch, options));
  }
  Task<boost::json::value> Delete(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name,
                                  const kube::DeleteOptions& options) override {
    return Make({"delete", gvr, name, as_, nullptr}, inner_.Delete(gvr, name, options));
  }
  Task<std::vector<kube::ApiResource>> Discover(const kube::GroupVersion& gv) override {
    return Make({"discover", {gv.group, gv.version, ""}, {}, as_, nullptr}, inner_.Discover(gv));
  }
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override {
    return std::make_unique<HookedClient>(inner_, hook_, user.name);
  }

 private:
  template <typename T>
  Task<T> Make(HookedCall call, Task<T> inner) {
    const HookedFate fate = hook_.decide ? hook_.decide(call) : HookedFate();
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

  kube::Client& inner_;
  Hook& hook_;
  const std::string as_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_TESTING_HOOKED_CLIENT_H_
