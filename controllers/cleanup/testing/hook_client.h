// A client that lets a test inspect each call, change the world before it, or make it fail. Not
// thread-safe.
#ifndef CONTROLLERS_CLEANUP_TESTING_HOOK_CLIENT_H_
#define CONTROLLERS_CLEANUP_TESTING_HOOK_CLIENT_H_

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/status/macros.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fault_script.h"

namespace steward::controllers {

struct TestCall {
  kube::ClientVerb verb;
  kube::GroupVersionResource gvr;
  kube::NamespacedName name;                      // of a list: only the namespace
  const boost::json::value* body = nullptr;       // of a write with a body
  const kube::ListOptions* list = nullptr;        // of a list
  const kube::WriteOptions* write = nullptr;      // of a create, update or patch
  const kube::DeleteOptions* deletion = nullptr;  // of a delete
  const kube::UserInfo* as = nullptr;             // the acting user

  absl::Status MaySend() const {
    if (!IsWrite()) return absl::OkStatus();
    return kube::MaySend(write != nullptr ? write->may_send : deletion->may_send);
  }
  bool IsWrite() const { return write != nullptr || deletion != nullptr; }
};

struct TestFate {
  enum Kind {
    kPass,
    kFail,       // not made; `error`
    kLose,       // made, then reported as kUnavailable
    kHold,       // a DELETE that ends as kUnavailable, and is carried out some time later
    kDieBefore,  // the process ends: ProcessKilled is thrown, and nothing was sent
    kDieAfter,   // the call is made, and then the process ends
  };
  Kind kind = kPass;
  absl::Status error;
  // The time that the call waits before its bytes leave: for a connection, or a busy server. Timers
  // do not fire meanwhile, as if the machine were suspended.
  absl::Duration delay;
};

// Thrown in a killed process in place of going on.
struct ProcessKilled {};

class TestHooks {
 public:
  virtual ~TestHooks() = default;
  virtual boost::asio::awaitable<TestFate> Before(const TestCall& call) = 0;
  virtual void Wait(absl::Duration) {}
  // Called when the bytes of a call leave.
  virtual void Leaves(const TestCall&) {}
  // Called for the fate kHold: the bytes are on their way.
  virtual void Hold(const kube::GroupVersionResource&, const kube::NamespacedName&,
                    const kube::DeleteOptions&) {}
  // Called after a call that was made, with its true outcome, whatever the caller receives.
  virtual boost::asio::awaitable<void> After(const TestCall& call, const absl::Status& outcome) = 0;
};

// No write can pass it unseen: its base forwards none, and what As returns sees them, too.
class HookClient : public kube::ForwardingReads {
 public:
  HookClient(kube::Client& inner, TestHooks& hooks) : ForwardingReads(inner), hooks_(hooks) {}

  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override {
    TestCall call{kube::ClientVerb::kGet, gvr, name};
    co_return co_await Make(call, inner().Get(gvr, name));
  }
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    TestCall call{kube::ClientVerb::kList, gvr, {options.ns, ""}};
    call.list = &options;
    co_return co_await Make(call, inner().List(gvr, options));
  }
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override {
    TestCall call{kube::ClientVerb::kCreate, gvr, {ns, ""}, &object};
    call.write = &options;
    co_return co_await Make(call, inner().Create(gvr, ns, object, options));
  }
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override {
    TestCall call{kube::ClientVerb::kUpdate, gvr, {}, &object};
    call.write = &options;
    co_return co_await Make(call, inner().Update(gvr, object, options));
  }
  Task<boost::json::value> Patch(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name, kube::PatchType type,
                                 const boost::json::value& patch,
                                 const kube::WriteOptions& options) override {
    TestCall call{kube::ClientVerb::kPatch, gvr, name, &patch};
    call.write = &options;
    co_return co_await Make(call, inner().Patch(gvr, name, type, patch, options));
  }
  Task<boost::json::value> Delete(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name,
                                  const kube::DeleteOptions& options) override {
    TestCall call{kube::ClientVerb::kDelete, gvr, name};
    call.deletion = &options;
    co_return co_await Make(call, inner().Delete(gvr, name, options));
  }
  Task<std::vector<kube::ApiResource>> Discover(const kube::GroupVersion& gv) override {
    TestCall call{kube::ClientVerb::kDiscover, {gv.group, gv.version, ""}, {}};
    co_return co_await Make(call, inner().Discover(gv));
  }
  Task<std::vector<kube::GroupVersion>> DiscoverGroups() override {
    TestCall call{kube::ClientVerb::kDiscover, {}, {}};
    co_return co_await Make(call, inner().DiscoverGroups());
  }
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override {
    return std::unique_ptr<HookClient>(new HookClient(inner().As(user), hooks_, user));
  }

 private:
  HookClient(std::unique_ptr<kube::Client> inner, TestHooks& hooks, kube::UserInfo user)
      : ForwardingReads(*inner),
        hooks_(hooks),
        own_inner_(std::move(inner)),
        user_(std::move(user)) {}

  template <typename T>
  Task<T> Make(TestCall call, Task<T> made) {
    if (user_) call.as = &*user_;
    const TestFate fate = co_await hooks_.Before(call);
    if (fate.kind == TestFate::kFail) co_return fate.error;
    if (fate.kind == TestFate::kDieBefore) throw ProcessKilled();
    hooks_.Wait(fate.delay);
    // Every client makes this check right before it sends.
    CO_RETURN_IF_ERROR(call.MaySend());
    hooks_.Leaves(call);
    if (fate.kind == TestFate::kHold) {
      hooks_.Hold(call.gvr, call.name, *call.deletion);
      co_return absl::UnavailableError("nobody answers");
    }
    absl::StatusOr<T> answer = co_await std::move(made);
    co_await hooks_.After(call, answer.status());
    if (fate.kind == TestFate::kDieAfter) throw ProcessKilled();
    if (fate.kind == TestFate::kLose) co_return absl::UnavailableError("the answer was lost");
    co_return answer;
  }

  TestHooks& hooks_;
  const std::unique_ptr<kube::Client> own_inner_;  // of a client made by As
  const std::optional<kube::UserInfo> user_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_HOOK_CLIENT_H_
