// A client whose calls a test sees, with their options and as whom they are made, and decides
// about. Not thread-safe.
#ifndef CONTROLLERS_PREVIEW_TESTING_WITNESS_CLIENT_H_
#define CONTROLLERS_PREVIEW_TESTING_WITNESS_CLIENT_H_

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {

struct WitnessedCall {
  std::string verb;  // get, list, create, update, patch, delete, discover
  kube::GroupVersionResource gvr;
  kube::NamespacedName name;
  std::string as;  // "" = nobody else
  bool writes = false;
  bool dry = false;
};

// What a client shares with those made of it by As.
struct Witness {
  std::vector<WitnessedCall> calls;
  // An error means that the call fails with it, and does not happen. Null = none does.
  std::function<absl::Status(const WitnessedCall& call)> decide;
  std::string hangs;                  // calls of this resource never end
  std::vector<std::string> warnings;  // of the server about each write
  size_t running = 0;
  size_t most = 0;  // calls at the same time

  size_t Count(bool writes, bool dry) const {
    size_t count = 0;
    for (const WitnessedCall& call : calls) count += call.writes == writes && call.dry == dry;
    return count;
  }
};

class WitnessClient : public kube::ForwardingClient {
 public:
  // REQUIRES: the references outlive this object.
  WitnessClient(kube::Client& inner, Witness& witness, std::string as = "")
      : ForwardingClient(inner), witness_(witness), as_(std::move(as)) {}

  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override {
    return See({"get", gvr, name, as_}, inner().Get(gvr, name));
  }
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    return See({"list", gvr, {options.ns, ""}, as_}, inner().List(gvr, options));
  }
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override {
    Warn(options);
    return See(
        {"create", gvr, {ns, kube::MetadataText(object, "name")}, as_, true, options.dry_run},
        inner().Create(gvr, ns, object, options));
  }
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override {
    Warn(options);
    return See({"update", gvr, kube::NameOf(object), as_, true, options.dry_run},
               inner().Update(gvr, object, options));
  }
  Task<boost::json::value> Patch(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name, kube::PatchType type,
                                 const boost::json::value& patch,
                                 const kube::WriteOptions& options) override {
    Warn(options);
    return See({"patch", gvr, name, as_, true, options.dry_run},
               inner().Patch(gvr, name, type, patch, options));
  }
  Task<boost::json::value> Delete(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name,
                                  const kube::DeleteOptions& options) override {
    return See({"delete", gvr, name, as_, true, options.dry_run},
               inner().Delete(gvr, name, options));
  }
  Task<std::vector<kube::ApiResource>> Discover(const kube::GroupVersion& gv) override {
    return See({"discover", {gv.group, gv.version, ""}, {}, as_}, inner().Discover(gv));
  }
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override {
    return std::make_unique<WitnessClient>(inner(), witness_, user.name);
  }

 private:
  void Warn(const kube::WriteOptions& options) const {
    for (const std::string& text : witness_.warnings) {
      if (options.on_warning) options.on_warning(text);
    }
  }

  template <typename T>
  Task<T> See(WitnessedCall call, Task<T> call_of_inner) {
    witness_.calls.push_back(call);
    if (!witness_.hangs.empty() && call.gvr.resource == witness_.hangs) {
      boost::asio::steady_timer never(co_await boost::asio::this_coro::executor,
                                      boost::asio::steady_timer::time_point::max());
      co_await never.async_wait(boost::asio::use_awaitable);
    }
    absl::Status decided = witness_.decide ? witness_.decide(call) : absl::OkStatus();
    if (!decided.ok()) co_return decided;
    witness_.most = std::max(witness_.most, ++witness_.running);
    absl::StatusOr<T> answer = co_await std::move(call_of_inner);
    --witness_.running;
    co_return answer;
  }

  Witness& witness_;
  const std::string as_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_TESTING_WITNESS_CLIENT_H_
