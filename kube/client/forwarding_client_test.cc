#include "kube/client/forwarding_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/async/run.h"
#include "base/async/task.h"
#include "base/clock/fake_clock.h"
#include "base/status/macros.h"
#include "base/status/matchers.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

// The base classes of fences cannot forward a write, because none of the writes is implemented.
static_assert(std::is_abstract_v<ForwardingReads>);
static_assert(std::is_abstract_v<InterceptingClient>);
// ForwardingClient has no As, because the inner client's As would leave the changes of the derived
// class out.
static_assert(std::is_abstract_v<ForwardingClient>);

const GroupVersionResource kWidgets = {"g", "v1", "widgets"};
const NamespacedName kName = {"n", "a"};

struct Plain : ForwardingClient {
  using ForwardingClient::ForwardingClient;
  std::unique_ptr<Client> As(const UserInfo&) override { return nullptr; }
};

WriteOptions Writing(absl::Status permission) {
  WriteOptions options;
  options.may_send = [permission] { return permission; };
  return options;
}
DeleteOptions Deleting(absl::Status permission) {
  DeleteOptions options;
  options.may_send = [permission] { return permission; };
  return options;
}

StatusTask Get(Client& client, absl::Status) {
  absl::StatusOr<RawObject> answer = co_await client.Get(kWidgets, kName);
  CO_RETURN_IF_ERROR(answer.status());
  EXPECT_NE(answer->json.find(R"("name":"a")"), std::string_view::npos);
  co_return absl::OkStatus();
}
StatusTask List(Client& client, absl::Status) {
  ListOptions options;
  options.ns = "n";
  absl::StatusOr<ListPage> answer = co_await client.List(kWidgets, options);
  CO_RETURN_IF_ERROR(answer.status());
  EXPECT_EQ(answer->items.size(), 1u);
  co_return absl::OkStatus();
}
StatusTask StartWatch(Client& client, absl::Status) {
  WatchOptions options;
  options.ns = "n";
  absl::StatusOr<std::unique_ptr<Watch>> watch = co_await client.StartWatch(kWidgets, options);
  CO_RETURN_IF_ERROR(watch.status());
  absl::StatusOr<std::optional<WatchEvent>> event = co_await (*watch)->Next();
  CO_RETURN_IF_ERROR(event.status());
  EXPECT_EQ((*event)->type, WatchEvent::Type::kAdded);
  co_return absl::OkStatus();
}
StatusTask Create(Client& client, absl::Status permission) {
  const json::value object = {{"metadata", {{"name", "b"}}}};
  const std::string ns = "n";
  const WriteOptions options = Writing(permission);
  absl::StatusOr<json::value> answer = co_await client.Create(kWidgets, ns, object, options);
  CO_RETURN_IF_ERROR(answer.status());
  EXPECT_EQ(answer->at("metadata").at("namespace"), "n");
  co_return absl::OkStatus();
}
StatusTask Update(Client& client, absl::Status permission) {
  const json::value object = {{"metadata", {{"name", "a"}, {"namespace", "n"}}}, {"spec", 2}};
  const WriteOptions options = Writing(permission);
  absl::StatusOr<json::value> answer = co_await client.Update(kWidgets, object, options);
  CO_RETURN_IF_ERROR(answer.status());
  EXPECT_EQ(answer->at("spec"), 2);
  co_return absl::OkStatus();
}
StatusTask Patch(Client& client, absl::Status permission) {
  const json::value patch = {{"spec", 3}};
  const WriteOptions options = Writing(permission);
  absl::StatusOr<json::value> answer =
      co_await client.Patch(kWidgets, kName, PatchType::kJsonMerge, patch, options);
  CO_RETURN_IF_ERROR(answer.status());
  EXPECT_EQ(answer->at("spec"), 3);
  co_return absl::OkStatus();
}
StatusTask Delete(Client& client, absl::Status permission) {
  const DeleteOptions options = Deleting(permission);
  co_return (co_await client.Delete(kWidgets, kName, options)).status();
}

StatusTask Discover(Client& client, absl::Status) {
  const GroupVersion gv = kWidgets.group_version();
  absl::StatusOr<std::vector<ApiResource>> answer = co_await client.Discover(gv);
  CO_RETURN_IF_ERROR(answer.status());
  EXPECT_EQ(answer->size(), 1u);
  co_return absl::OkStatus();
}

struct Row {
  const char* name;
  ClientVerb verb;
  bool writes;
  StatusTask (*call)(Client& client, absl::Status permission);
};
constexpr Row kRows[] = {
    {"get", ClientVerb::kGet, false, Get},
    {"list", ClientVerb::kList, false, List},
    {"watch", ClientVerb::kWatch, false, StartWatch},
    {"create", ClientVerb::kCreate, true, Create},
    {"update", ClientVerb::kUpdate, true, Update},
    {"patch", ClientVerb::kPatch, true, Patch},
    {"delete", ClientVerb::kDelete, true, Delete},
    {"discover", ClientVerb::kDiscover, false, Discover},
};
GroupVersionResource CalledOf(const Row& row) {
  return {"g", "v1", row.verb == ClientVerb::kDiscover ? "" : "widgets"};
}

TEST(ForwardingClientTest, EachCallIsTheInnerClients) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    boost::asio::io_context io;
    FakeClock clock;
    FakeClient cluster;
    cluster.Serve(kWidgets);
    cluster.Put(kWidgets, R"({"metadata":{"namespace":"n","name":"a"},"spec":1})");
    cluster.Publish(kWidgets.group_version(), {{"Widget", "widgets", true, {"get"}}});
    HookClient counted(cluster, clock);
    Plain client(counted);

    EXPECT_OK(RunOn(io, row.call(client, absl::OkStatus())));
    for (const Row& other : kRows) {
      EXPECT_EQ(counted.calls({other.verb, CalledOf(other)}), row.verb == other.verb ? 1 : 0)
          << other.name;
    }
    counted.FailNext({row.verb, CalledOf(row)}, absl::DataLossError("broken"));
    EXPECT_EQ(RunOn(io, row.call(client, absl::OkStatus())), absl::DataLossError("broken"));
  }
}

TEST(ForwardingClientTest, TheInnerClientAsksForPermission) {
  for (const Row& row : kRows) {
    if (!row.writes) continue;
    SCOPED_TRACE(row.name);
    boost::asio::io_context io;
    FakeClient cluster;
    cluster.Serve(kWidgets);
    cluster.Put(kWidgets, R"({"metadata":{"namespace":"n","name":"a"},"spec":1})");
    const auto before = cluster.Objects(kWidgets);
    Plain client(cluster);
    const absl::Status no = absl::AbortedError("no");
    EXPECT_EQ(RunOn(io, row.call(client, no)), no);
    EXPECT_EQ(cluster.Objects(kWidgets), before);
  }
}

}  // namespace
}  // namespace steward::kube
