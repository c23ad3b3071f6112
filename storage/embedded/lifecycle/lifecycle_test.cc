#include "storage/embedded/lifecycle/lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LifecycleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"ns"}})"));
  }

  // Returns the UID.
  std::string CreateMap(const std::string& name, const std::string& metadata = "",
                        const std::string& ns = "ns") {
    const auto made = store_.Create(kube::kConfigMaps, ns,
                                    R"({"metadata":{"name":")" + name + "\"" + metadata + "}}");
    EXPECT_OK(made);
    return made.ok() ? std::string(made->at("metadata").at("uid").as_string()) : "";
  }
  static std::string Owner(const std::string& name, const std::string& uid, bool blocks = false) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + name + R"(","uid":")" + uid +
           R"(","blockOwnerDeletion":)" + (blocks ? "true}" : "false}");
  }
  static std::string OwnedBy(const std::string& owners) {
    return R"(,"ownerReferences":[)" + owners + "]";
  }
  void Delete(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
              kube::DeleteOptions::Propagation propagation = {}) {
    kube::DeleteOptions options;
    options.propagation = propagation;
    ASSERT_OK(store_.Run(store_.client().Delete(gvr, name, options)));
  }
  void RemoveFinalizers(const std::string& name) {
    const kube::WriteOptions options;
    const json::value patch = json::parse(R"({"metadata":{"finalizers":null}})");
    const kube::NamespacedName object{"ns", name};
    ASSERT_OK(store_.Run(store_.client().Patch(kube::kConfigMaps, object,
                                               kube::PatchType::kJsonMerge, patch, options)));
  }
  std::vector<std::string> Names(const kube::GroupVersionResource& gvr) {
    const kube::ListOptions options;
    std::vector<std::string> names;
    const auto page = store_.Run(store_.client().List(gvr, options));
    EXPECT_OK(page);
    if (!page.ok()) return names;
    for (const kube::RawObject& item : page->items) {
      const json::value object = json::parse(json::string_view(item.json.data(), item.json.size()));
      names.emplace_back(object.at("metadata").at("name").as_string());
    }
    return names;
  }
  // Waits until the objects have exactly these names; gives up after a while.
  void ExpectSoon(const kube::GroupVersionResource& gvr, const std::vector<std::string>& names) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (true) {
      const Broadcast::Ticket ticket = store_.store().committed().Now();
      if (Names(gvr) == names) return;
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << ::testing::PrintToString(Names(gvr));
      store_.Run(store_.store().committed().WaitSince(ticket, deadline));
    }
  }
  // Returns when the lifecycle has done everything that it began before this call.
  void Settle() {
    for (int i = 0; i < 5; ++i) {
      const std::string name = "settle-" + std::to_string(settled_++);
      ASSERT_OK(store_.Create(kube::kClusterRoles, "", R"({"metadata":{"name":")" + name + "\"}}"));
    }
  }

  TestStore store_;
  int settled_ = 0;
};

TEST_F(LifecycleTest, ANamespaceGoesWithItsContents) {
  store_.StartLifecycle();
  ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"ns-b"}})"));
  for (int i = 0; i < 450; ++i) CreateMap("m" + std::to_string(i));
  CreateMap("other", "", "ns-b");
  Delete(kube::kNamespaces, {"", "ns"});
  ExpectSoon(kube::kNamespaces, {"ns-b"});
  EXPECT_THAT(Names(kube::kConfigMaps), ElementsAre("other"));
}

TEST_F(LifecycleTest, FinalizersHoldANamespace) {
  store_.StartLifecycle();
  CreateMap("held", R"(,"finalizers":["example.com/hold"])");
  CreateMap("free");
  Delete(kube::kNamespaces, {"", "ns"});
  ExpectSoon(kube::kConfigMaps, {"held"});
  Settle();
  EXPECT_THAT(Names(kube::kNamespaces), ElementsAre("ns"));
  // New objects are refused.
  const auto refused = store_.Create(kube::kConfigMaps, "ns", R"({"metadata":{"name":"new"}})");
  EXPECT_EQ(kube::FromStatus(refused.status()).code, 403);
  RemoveFinalizers("held");
  ExpectSoon(kube::kNamespaces, {});
}

// If no Lifecycle ran during a deletion, the next one finishes the deletion at its start.
TEST_F(LifecycleTest, WhatWasLeftBehindIsFoundAtTheStart) {
  const std::string uid = CreateMap("owner");
  CreateMap("dependent", OwnedBy(Owner("owner", uid)));
  ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"doomed"}})"));
  CreateMap("inside", "", "doomed");
  Delete(kube::kNamespaces, {"", "doomed"});
  Delete(kube::kConfigMaps, {"ns", "owner"});
  store_.StartLifecycle();
  ExpectSoon(kube::kConfigMaps, {});
  ExpectSoon(kube::kNamespaces, {"ns"});
}

struct OwnerCase {
  const char* name;
  kube::DeleteOptions::Propagation propagation;
  std::vector<std::string> left;
};

class OwnerTest : public LifecycleTest, public ::testing::WithParamInterface<OwnerCase> {};

TEST_P(OwnerTest, DependentsFollowTheirOwner) {
  store_.StartLifecycle();
  const std::string owner = CreateMap("owner");
  const std::string other = CreateMap("other");
  const std::string child = CreateMap("child", OwnedBy(Owner("owner", owner, true)));
  CreateMap("grandchild", OwnedBy(Owner("child", child, true)));
  CreateMap("shared", OwnedBy(Owner("owner", owner) + "," + Owner("other", other)));
  Settle();
  ASSERT_THAT(Names(kube::kConfigMaps),
              ElementsAre("child", "grandchild", "other", "owner", "shared"));
  Delete(kube::kConfigMaps, {"ns", "owner"}, GetParam().propagation);
  ExpectSoon(kube::kConfigMaps, GetParam().left);
  Settle();
  EXPECT_EQ(Names(kube::kConfigMaps), GetParam().left);
}

using Propagation = kube::DeleteOptions::Propagation;
INSTANTIATE_TEST_SUITE_P(
    Propagations, OwnerTest,
    ::testing::Values(
        OwnerCase{"Default", Propagation::kDefault, {"other", "shared"}},
        OwnerCase{"Background", Propagation::kBackground, {"other", "shared"}},
        OwnerCase{"Foreground", Propagation::kForeground, {"other", "shared"}},
        OwnerCase{"Orphan", Propagation::kOrphan, {"child", "grandchild", "other", "shared"}}),
    [](const auto& row) { return row.param.name; });

TEST_F(LifecycleTest, ForegroundWaitsForWhatBlocks) {
  store_.StartLifecycle();
  const std::string owner = CreateMap("owner");
  CreateMap("blocks",
            OwnedBy(Owner("owner", owner, true)) + R"(,"finalizers":["example.com/hold"])");
  Delete(kube::kConfigMaps, {"ns", "owner"}, Propagation::kForeground);
  Settle();
  EXPECT_THAT(Names(kube::kConfigMaps), ElementsAre("blocks", "owner"));
  RemoveFinalizers("blocks");
  ExpectSoon(kube::kConfigMaps, {});
}

// Other holders of the object see how it was deleted, however late they look.
TEST_F(LifecycleTest, TheCollectorsFinalizersStayWhileOthersHoldTheObject) {
  store_.StartLifecycle();
  for (const auto& [propagation, mark] : {std::pair(Propagation::kForeground, "foregroundDeletion"),
                                          std::pair(Propagation::kOrphan, "orphan")}) {
    SCOPED_TRACE(mark);
    const std::string owner = CreateMap("owner", R"(,"finalizers":["example.com/hold"])");
    CreateMap("dependent", OwnedBy(Owner("owner", owner)));
    Delete(kube::kConfigMaps, {"ns", "owner"}, propagation);
    Settle();
    const bool orphans = propagation == Propagation::kOrphan;
    // The dependents are deleted or released at once.
    ExpectSoon(kube::kConfigMaps, orphans ? std::vector<std::string>{"dependent", "owner"}
                                          : std::vector<std::string>{"owner"});
    const kube::NamespacedName name{"ns", "owner"};
    const absl::StatusOr<kube::RawObject> left =
        store_.Run(store_.client().Get(kube::kConfigMaps, name));
    ASSERT_OK(left);
    EXPECT_THAT(left->json, testing::HasSubstr(mark));
    const kube::WriteOptions options;
    const json::value patch = {{"metadata", {{"finalizers", json::array{mark}}}}};
    ASSERT_OK(store_.Run(store_.client().Patch(kube::kConfigMaps, name, kube::PatchType::kJsonMerge,
                                               patch, options)));
    ExpectSoon(kube::kConfigMaps,
               orphans ? std::vector<std::string>{"dependent"} : std::vector<std::string>{});
    if (orphans) Delete(kube::kConfigMaps, {"ns", "dependent"});
  }
}

TEST_F(LifecycleTest, OwnersThatNeverWereAreGoneAndUnknownKindsAreNot) {
  store_.StartLifecycle();
  CreateMap("orphan", OwnedBy(Owner("owner", "no-such-uid")));
  CreateMap("foreign",
            OwnedBy(R"({"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"u"})"));
  ExpectSoon(kube::kConfigMaps, {"foreign"});
  Settle();
  EXPECT_THAT(Names(kube::kConfigMaps), ElementsAre("foreign"));
}

// An object that was later given the owner's name is not the owner.
TEST_F(LifecycleTest, OwnersAreKnownByTheirUid) {
  store_.StartLifecycle();
  CreateMap("owner");
  CreateMap("dependent", OwnedBy(Owner("owner", "the-one-before")));
  ExpectSoon(kube::kConfigMaps, {"owner"});
}

TEST_F(LifecycleTest, ADefinitionGoesWithItsObjects) {
  const kube::GroupVersionResource crds{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  const kube::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  const std::string crd = R"({
      "metadata": {"name": "widgets.example.com"},
      "spec": {"group": "example.com", "scope": "Namespaced",
               "names": {"plural": "widgets", "kind": "Widget"},
               "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
               {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})";
  store_.StartLifecycle();
  ASSERT_OK(store_.Create(crds, "", crd));
  ASSERT_OK(store_.Create(
      widgets, "ns", R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})"));
  Delete(crds, {"", "widgets.example.com"});
  ExpectSoon(crds, {});
  const kube::ListOptions options;
  EXPECT_EQ(kube::FromStatus(store_.Run(store_.client().List(widgets, options)).status()).code,
            404);
  // The objects don't come back with the definition.
  ASSERT_OK(store_.Create(crds, "", crd));
  EXPECT_THAT(Names(widgets), IsEmpty());
}

// Objects of a version that is no longer served go with the definition, too.
TEST_F(LifecycleTest, WhatIsNotServedGoesAsWell) {
  const kube::GroupVersionResource crds{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  const kube::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  const std::string crd = R"({
      "metadata": {"name": "widgets.example.com"},
      "spec": {"group": "example.com", "scope": "Namespaced",
               "names": {"plural": "widgets", "kind": "Widget"},
               "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
               {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})";
  store_.StartLifecycle();
  ASSERT_OK(store_.Create(crds, "", crd));
  ASSERT_OK(store_.Create(
      widgets, "ns", R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})"));
  const kube::WriteOptions options;
  const kube::NamespacedName name{"", "widgets.example.com"};
  const auto patch = [&](const char* text) {
    const json::value value = json::parse(text);
    return store_.Run(
        store_.client().Patch(crds, name, kube::PatchType::kJsonMerge, value, options));
  };
  EXPECT_EQ(kube::FromStatus(patch(R"({"spec":{"scope":"Cluster"}})").status()).code, 422);
  constexpr char kAny[] = R"("schema":{"openAPIV3Schema":{"type":"object"}}})";
  const std::string versions = StrCat(R"({"name":"v1","served":false,"storage":true,)", kAny,
                                      R"(,{"name":"v2","served":true,"storage":false,)", kAny);
  ASSERT_OK(patch(StrCat(R"({"spec":{"versions":[)", versions, "]}}").c_str()));
  Delete(crds, name);
  ExpectSoon(crds, {});
  ASSERT_OK(store_.Create(crds, "", crd));
  EXPECT_THAT(Names(widgets), IsEmpty());
}

TEST_F(LifecycleTest, ObjectsHaveABound) {
  const auto huge = store_.Create(
      kube::kConfigMaps, "ns",
      R"({"metadata":{"name":"huge"},"data":{"k":")" + std::string(4 << 20, 'x') + "\"}}");
  EXPECT_EQ(kube::FromStatus(huge.status()).code, 413);
  EXPECT_THAT(Names(kube::kConfigMaps), IsEmpty());
}

}  // namespace
}  // namespace steward::storage
