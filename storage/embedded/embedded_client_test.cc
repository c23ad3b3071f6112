// Tests for the abilities that the conformance suite of kube/testing cannot expect of every server:
// dropped revisions, limits, and watches that lag behind. That suite tests all others.
#include "storage/embedded/embedded_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status/matchers.h"
#include "kube/client/client.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EmbeddedClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"ns"}})"));
  }

  void CreateMap(const std::string& name, const std::string& labels = "{}") {
    ASSERT_OK(store_.Create(kube::kConfigMaps, "ns",
                            R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + "}}"));
  }
  void UpdateMap(const std::string& name, const std::string& value) {
    const boost::json::value object =
        boost::json::parse(R"({"metadata":{"name":")" + name +
                           R"(","namespace":"ns"},"data":{"k":")" + value + "\"}}");
    const kube::WriteOptions options;
    ASSERT_OK(store_.Run(store_.client().Update(kube::kConfigMaps, object, options)));
  }
  absl::StatusOr<kube::ListPage> List(const kube::ListOptions& options) {
    return store_.Run(store_.client().List(kube::kConfigMaps, options));
  }
  absl::StatusOr<std::unique_ptr<kube::Watch>> Watch(const kube::WatchOptions& options) {
    return store_.Run(store_.client().StartWatch(kube::kConfigMaps, options));
  }
  // The next `count` events, as "ADDED a@5".
  std::vector<std::string> Next(kube::Watch& watch, int count) {
    std::vector<std::string> seen;
    for (int i = 0; i < count; ++i) {
      const absl::StatusOr<std::optional<kube::WatchEvent>> event = store_.Run(watch.Next());
      if (!event.ok()) {
        seen.push_back(kube::FromStatus(event.status()).reason);
        break;
      }
      if (!event->has_value()) {
        seen.push_back("end");
        break;
      }
      const boost::json::value object = boost::json::parse(
          boost::json::string_view((*event)->object.json.data(), (*event)->object.json.size()));
      const boost::json::object& metadata = object.at("metadata").as_object();
      const char* const types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
      std::string text = types[static_cast<int>((*event)->type)];
      if (metadata.contains("name")) text += " " + std::string(metadata.at("name").as_string());
      EXPECT_EQ((*event)->resource_version,
                std::string(metadata.at("resourceVersion").as_string()));
      seen.push_back(text);
    }
    return seen;
  }
  int64_t revision() { return store_.store().revision(); }

  TestStore store_{EmbeddedClientOptions{.bookmark_period = absl::Milliseconds(1)}};
};

TEST_F(EmbeddedClientTest, APagedListIsOneSnapshotUntilItIsDropped) {
  for (const char* name : {"a", "b", "c"}) CreateMap(name);
  kube::ListOptions options;
  options.ns = "ns";
  options.limit = 2;
  ASSERT_OK_AND_ASSIGN(const kube::ListPage first, List(options));
  ASSERT_EQ(first.items.size(), 2u);
  CreateMap("d");

  options.continue_token = first.continue_token;
  ASSERT_OK_AND_ASSIGN(const kube::ListPage second, List(options));
  EXPECT_EQ(second.items.size(), 1u);
  EXPECT_EQ(second.resource_version, first.resource_version);
  EXPECT_EQ(second.continue_token, "");

  ASSERT_OK(store_.Run(store_.store().Compact(revision())));
  const absl::StatusOr<kube::ListPage> expired = List(options);
  const kube::Status status = kube::FromStatus(expired.status());
  EXPECT_EQ(status.code, 410);
  EXPECT_EQ(status.reason, "Expired");
  // The token in the error continues with the present objects.
  options.continue_token = status.continue_token;
  ASSERT_OK_AND_ASSIGN(const kube::ListPage rest, List(options));
  EXPECT_EQ(rest.items.size(), 2u);
}

TEST_F(EmbeddedClientTest, BadContinueTokensAreRefused) {
  kube::ListOptions options;
  for (const char* token : {"x", "e30", "!!!", "eyJydiI6OTk5OTk5LCJhZnRlciI6ImEifQ"}) {
    options.continue_token = token;
    EXPECT_EQ(kube::FromStatus(List(options).status()).code, 400) << token;
  }
}

TEST_F(EmbeddedClientTest, ListsAtNumbers) {
  CreateMap("a");
  const std::string old = std::to_string(revision());
  CreateMap("b");
  kube::ListOptions options;
  options.resource_version = old;
  EXPECT_EQ(List(options)->items.size(), 2u);  // not older than
  options.resource_version_match = "Exact";
  EXPECT_EQ(List(options)->items.size(), 1u);
  EXPECT_EQ(List(options)->resource_version, old);
  options.resource_version = "1000000";
  EXPECT_EQ(kube::FromStatus(List(options).status()).code, 504);
  ASSERT_OK(store_.Run(store_.store().Compact(revision())));
  options.resource_version = old;
  EXPECT_EQ(kube::FromStatus(List(options).status()).reason, "Expired");
}

TEST_F(EmbeddedClientTest, AWatchThatLagsBehindTheDroppedPastIsExpired) {
  kube::WatchOptions options;
  options.resource_version = std::to_string(revision());
  ASSERT_OK_AND_ASSIGN(const auto watch, Watch(options));
  CreateMap("a");
  for (int i = 0; i < 5; ++i) UpdateMap("a", std::to_string(i));
  ASSERT_OK(store_.Run(store_.store().Compact(revision())));
  EXPECT_THAT(Next(*watch, 1), ElementsAre("Expired"));
  EXPECT_THAT(Next(*watch, 1), ElementsAre("end"));
  EXPECT_EQ(kube::FromStatus(Watch(options).status()).reason, "Expired");
}

TEST_F(EmbeddedClientTest, AQuietWatchIsBookmarkedAndEnds) {
  kube::WatchOptions options;
  options.resource_version = std::to_string(revision());
  options.timeout = absl::Hours(1);
  ASSERT_OK_AND_ASSIGN(const auto quiet, Watch(options));
  EXPECT_THAT(Next(*quiet, 1), ElementsAre("BOOKMARK"));
  options.timeout = absl::Milliseconds(30);
  ASSERT_OK_AND_ASSIGN(const auto short_one, Watch(options));
  const std::vector<std::string> seen = Next(*short_one, 1000);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), "end");
}

TEST_F(EmbeddedClientTest, AWatchEndsWithItsDefinition) {
  const kube::GroupVersionResource crds{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  ASSERT_OK(store_.Create(crds, "", R"({
      "metadata": {"name": "widgets.example.com"},
      "spec": {"group": "example.com", "scope": "Namespaced",
               "names": {"plural": "widgets", "kind": "Widget"},
               "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
               {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})"));
  store_.StartLifecycle();
  kube::WatchOptions options;
  options.resource_version = std::to_string(revision());
  const kube::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  ASSERT_OK_AND_ASSIGN(const auto watch, store_.Run(store_.client().StartWatch(widgets, options)));
  const kube::DeleteOptions deletion;
  const kube::NamespacedName name{"", "widgets.example.com"};
  ASSERT_OK(store_.Run(store_.client().Delete(crds, name, deletion)));
  std::vector<std::string> seen = Next(*watch, 100'000);
  EXPECT_EQ(seen.back(), "end");
}

TEST_F(EmbeddedClientTest, SelectorsTurnChangesIntoComingsAndGoings) {
  kube::WatchOptions options;
  options.resource_version = std::to_string(revision());
  options.label_selector = "color=red";
  EmbeddedClient quiet(store_.store(), Clock::Real(), Random::Real());
  ASSERT_OK_AND_ASSIGN(const auto watch, store_.Run(quiet.StartWatch(kube::kConfigMaps, options)));
  CreateMap("a", R"({"color":"red"})");
  CreateMap("b", R"({"color":"blue"})");
  UpdateMap("a", "without labels");
  CreateMap("c", R"({"color":"red"})");
  EXPECT_THAT(Next(*watch, 3), ElementsAre("ADDED a", "DELETED a", "ADDED c"));
}

TEST_F(EmbeddedClientTest, UnknownFieldsCannotBeSelectedBy) {
  kube::ListOptions options;
  options.field_selector = "data.k=v";
  const kube::Status status = kube::FromStatus(List(options).status());
  EXPECT_EQ(status.code, 400);
  EXPECT_THAT(status.message, HasSubstr("field label not supported: data.k"));
}

TEST_F(EmbeddedClientTest, CancelledCallsLeaveTheStoreInOrder) {
  for (int i = 0; i < 50; ++i) {
    TaskGroup tasks(store_.io().get_executor());
    const kube::WriteOptions options;
    const boost::json::value object =
        boost::json::parse(R"({"metadata":{"name":"m)" + std::to_string(i) + "\"}}");
    tasks.Spawn("write",
                [](EmbeddedClient& client, const boost::json::value& value,
                   const kube::WriteOptions& how) -> VoidTask {
                  (void)co_await client.Create(kube::kConfigMaps, "ns", value, how);
                }(store_.client(), object, options));
    store_.Run(tasks.Stop());
  }
  CreateMap("last");
  kube::ListOptions options;
  options.field_selector = "metadata.name=last";
  EXPECT_EQ(List(options)->items.size(), 1u);
}

TEST_F(EmbeddedClientTest, TellsWhatIsServed) {
  const std::vector<std::string> verbs = {"create", "delete", "get",  "list",
                                          "patch",  "update", "watch"};
  EXPECT_THAT(store_.Run(store_.client().Discover({"apiextensions.k8s.io", "v1"})),
              IsOkAndHolds(ElementsAre(kube::ApiResource{
                  "CustomResourceDefinition", "customresourcedefinitions", false, verbs})));
  EXPECT_THAT(store_.Run(store_.client().Discover({"", "v1"})),
              IsOkAndHolds(Contains(kube::ApiResource{"ConfigMap", "configmaps", true, verbs})));
  // These kinds are in operators' bundles.
  const std::pair<kube::GroupVersion, kube::ApiResource> bundled[] = {
      {{"", "v1"}, {"Service", "services", true, verbs}},
      {{"", "v1"}, {"Secret", "secrets", true, verbs}},
      {{"", "v1"}, {"ServiceAccount", "serviceaccounts", true, verbs}},
      {{"policy", "v1"}, {"PodDisruptionBudget", "poddisruptionbudgets", true, verbs}},
      {{"networking.k8s.io", "v1"}, {"NetworkPolicy", "networkpolicies", true, verbs}},
      {{"scheduling.k8s.io", "v1"}, {"PriorityClass", "priorityclasses", false, verbs}},
      {{"rbac.authorization.k8s.io", "v1"}, {"Role", "roles", true, verbs}},
      {{"rbac.authorization.k8s.io", "v1"}, {"RoleBinding", "rolebindings", true, verbs}},
      {{"rbac.authorization.k8s.io", "v1"}, {"ClusterRole", "clusterroles", false, verbs}},
      {{"rbac.authorization.k8s.io", "v1"},
       {"ClusterRoleBinding", "clusterrolebindings", false, verbs}},
  };
  for (const auto& [gv, resource] : bundled) {
    EXPECT_THAT(store_.Run(store_.client().Discover(gv)), IsOkAndHolds(Contains(resource)));
  }
  for (const kube::GroupVersion& absent :
       {kube::GroupVersion{"example.com", "v1"}, kube::GroupVersion{"", "v2"}}) {
    EXPECT_TRUE(kube::IsNotServed(store_.Run(store_.client().Discover(absent)).status()));
  }
}

// The client checks no rights, but refuses the users that every client refuses.
TEST_F(EmbeddedClientTest, WhoActsMakesNoDifference) {
  CreateMap("a");
  const kube::NamespacedName name{"ns", "a"};
  const std::unique_ptr<kube::Client> alice = store_.client().As({"alice"});
  EXPECT_OK(store_.Run(alice->Get(kube::kConfigMaps, name)));
  for (const kube::UserInfo& user :
       {kube::UserInfo{""}, kube::UserInfo{"alice", "", {"system:masters"}}}) {
    const std::unique_ptr<kube::Client> nobody = store_.client().As(user);
    EXPECT_TRUE(absl::IsInvalidArgument(store_.Run(nobody->Get(kube::kConfigMaps, name)).status()));
  }
}

}  // namespace
}  // namespace steward::storage
