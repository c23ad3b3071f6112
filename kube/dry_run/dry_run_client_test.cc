#include "kube/dry_run/dry_run_client.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "kube/testing/fake_client.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

// A Client is no DryRunClient without an explicit conversion, and a DryRunClient does not give its
// inner client away.
static_assert(!std::is_convertible_v<Client&, DryRunClient>);
static_assert(!std::is_copy_constructible_v<DryRunClient>);
static_assert(std::is_final_v<DryRunClient>);

const GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};
const NamespacedName kName = {"n", "a"};

class DryRunClientTest : public ::testing::Test {
 protected:
  DryRunClientTest() {
    cluster_.Serve(kWidgets);
    cluster_.Put(kWidgets, R"({"metadata":{"name":"a","namespace":"n"},"spec":1})");
  }

  template <typename T>
  absl::StatusOr<T> Run(Task<T> task) {
    return RunOn(io_, std::move(task));
  }

  boost::asio::io_context io_{1};
  FakeClient cluster_;
};

TEST_F(DryRunClientTest, NoWriteChangesAnything) {
  const WriteOptions write;  // dry_run: false
  const DeleteOptions remove;
  const json::value fresh = json::parse(R"({"metadata":{"name":"b","namespace":"n"}})");
  const json::value changed = json::parse(R"({"metadata":{"name":"a","namespace":"n"},"spec":2})");
  struct Row {
    const char* name;
    std::function<absl::StatusOr<json::value>(Client&)> write;
  };
  const std::vector<Row> rows = {
      {"create", [&](Client& to) { return Run(to.Create(kWidgets, "n", fresh, write)); }},
      {"update", [&](Client& to) { return Run(to.Update(kWidgets, changed, write)); }},
      {"patch",
       [&](Client& to) {
         return Run(to.Patch(kWidgets, kName, PatchType::kJsonMerge, changed, write));
       }},
      {"apply",
       [&](Client& to) {
         return Run(to.Patch(kWidgets, kName, PatchType::kApply, changed, write));
       }},
      {"delete", [&](Client& to) { return Run(to.Delete(kWidgets, kName, remove)); }},
  };
  DryRunClient dry(cluster_);
  const std::unique_ptr<Client> other = dry.As({"alice"});
  const std::unique_ptr<Client> third = other->As({"bob"});
  DryRunClient moved = dry.ActingAs({"carol"});
  const auto before = cluster_.Objects(kWidgets);
  const uint64_t revision = cluster_.revision();
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    for (Client* const client : std::vector<Client*>{&dry, other.get(), third.get(), &moved}) {
      const absl::StatusOr<json::value> answer = row.write(*client);
      if (std::string_view(row.name) != "apply") {
        EXPECT_OK(answer);
      }
      EXPECT_EQ(cluster_.revision(), revision);
      EXPECT_EQ(cluster_.Objects(kWidgets), before);
    }
  }
  EXPECT_EQ(cluster_.last_user(FakeClient::Verb::kDelete, kWidgets)->name, "carol");
}

TEST_F(DryRunClientTest, ReviewsAreNotSent) {
  for (const GroupVersionResource& review :
       {GroupVersionResource{"authorization.k8s.io", "v1", "subjectaccessreviews"},
        GroupVersionResource{"authentication.k8s.io", "v1", "tokenreviews"}}) {
    cluster_.Serve(review);
    DryRunClient dry(cluster_);
    const WriteOptions options;
    const json::value object = json::parse(R"({"spec":{}})");
    EXPECT_THAT(Run(dry.Create(review, "", object, options)),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(cluster_.calls(FakeClient::Verb::kCreate, review), 0);
  }
}

TEST_F(DryRunClientTest, ReadsAreTheOthers) {
  DryRunClient dry(cluster_);
  EXPECT_OK(Run(dry.Get(kWidgets, kName)));
  const ListOptions list;
  ASSERT_OK_AND_ASSIGN(const ListPage page, Run(dry.List(kWidgets, list)));
  EXPECT_EQ(page.items.size(), 1u);
  const WatchOptions watch;
  EXPECT_OK(Run(dry.StartWatch(kWidgets, watch)));
}

}  // namespace
}  // namespace steward::kube
