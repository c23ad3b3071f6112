#include "cmd/steward/virtual_api.h"

#include <gmock/gmock.h>
#include <prometheus/registry.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/page_getter.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/reviewer.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/upstream/linked_previews.h"
#include "apiserver/upstream/pending_operands.h"
#include "apiserver/views/testing/sample_view.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/user_info.h"
#include "storage/embedded/store/caught_up.h"
#include "storage/embedded/testing/test_store.h"

namespace steward {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kGroups = {"operators.coreos.com", "v1", "operatorgroups"};
const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                          "clusterserviceversions"};

const kube::GroupVersionResource kInstallPlans = {"operators.coreos.com", "v1alpha1",
                                                  "installplans"};

// A cluster with an operator in `ops`.
class VirtualApiTest : public ::testing::Test {
 protected:
  VirtualApiTest() {
    for (const std::string ns : {"blue", "ops"}) {
      Create(kube::kNamespaces, "",
             StrCat(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")", ns, R"("}})"));
    }
    Create(kGroups, "ops",
           R"({"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup",
               "metadata":{"name":"g"},"spec":{"targetNamespaces":["ops"]}})");
    CreateCsv("ops", "etcd.v1");
  }
  ~VirtualApiTest() override { store_.Run(tasks_.Stop()); }

  void Create(const kube::GroupVersionResource& gvr, const std::string& ns,
              const std::string& object) {
    EXPECT_OK(store_.Create(gvr, ns, object));
  }
  void CreateCsv(const std::string& ns, const std::string& name) {
    Create(
        kCsvs, ns,
        StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
               R"("metadata":{"name":")", name, R"("},"spec":{"displayName":"an operator",)",
               R"("install":{"strategy":"deployment"}}})"));
  }
  void Follow() {
    worlds_.Start(tasks_);
    plans_.Start(tasks_);
    CatchUp();
  }
  void CatchUp() {
    EXPECT_OK(store_.Run(storage::WaitUntilCaughtUp(store_.store(), worlds_.store())));
    EXPECT_OK(store_.Run(storage::WaitUntilCaughtUp(store_.store(), plans_.store())));
  }
  void CreatePlan(const std::string& ns, const std::string& name) {
    Create(kInstallPlans, ns,
           StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"InstallPlan",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"approval":"Manual",)",
                  R"("approved":false,"clusterServiceVersionNames":["etcd.v1"]}})"));
  }
  ViewDeps Deps() {
    return {.worlds = worlds_,
            .plans = plans_,
            .clock = Clock::Real(),
            .pending_operands = no_controllers_,
            .previews = no_previews_};
  }
  // All existing objects, as "ns/name".
  std::vector<std::string> List(const rest::Resource& resource) {
    absl::StatusOr<rest::Reading> reading =
        store_.Run(resource.list->List(rest::Selection(), rest::ReadOptions()));
    EXPECT_OK(reading);
    std::vector<std::string> names;
    if (!reading.ok()) return names;
    do {
      while (const rest::Object* object = reading->cursor->Next()) {
        names.push_back(StrCat(object->ns(), "/", object->name()));
      }
    } while (*store_.Run(reading->cursor->More()));
    return names;
  }

  storage::TestStore store_;
  prometheus::Registry registry_;
  ClusterWorlds worlds_{store_.client(), Clock::Real(), Random::Real(), registry_,
                        OperatorSources()};
  ClusterWorlds plans_{store_.client(), Clock::Real(), Random::Real(), registry_, PlanSources()};
  upstream::NoControllers no_controllers_{"nobody is there"};
  upstream::LinkedPreviews no_previews_{{.plans = {nullptr, "nobody plans"},
                                         .cleanup = {nullptr, "nobody cleans up"},
                                         .copies = {nullptr, "nobody copies"}}};
  TaskGroup tasks_{store_.io().get_executor()};
};

TEST_F(VirtualApiTest, EveryViewIsServedFromTheWorldsOfOneCluster) {
  EXPECT_FALSE(worlds_.Synced().ok());
  const std::vector<rest::Resource> resources = VirtualResources(Deps());
  Follow();
  EXPECT_OK(worlds_.Synced());
  ASSERT_EQ(resources.size(), 3u);
  EXPECT_EQ(resources[0].descriptor.plural, "installedoperators");
  EXPECT_THAT(List(resources[0]), ElementsAre("ops/etcd.v1"));
  EXPECT_EQ(resources[1].descriptor.plural, "cleanupstatuses");
  EXPECT_THAT(List(resources[1]), ElementsAre("ops/etcd.v1"));
  EXPECT_EQ(resources[2].descriptor.plural, "planpreviews");
  EXPECT_THAT(List(resources[2]), IsEmpty());
  CreatePlan("ops", "install-a");
  CatchUp();
  EXPECT_THAT(List(resources[2]), ElementsAre("ops/install-a"));
}

// Clients' numbers of one source set do not depend on another set.
TEST_F(VirtualApiTest, InstallPlansDoNotMoveNumbersOfOperators) {
  Follow();
  const auto numbers = [](const ClusterWorlds& worlds) {
    return std::pair(worlds.store().Now().number().ToString(), worlds.store().Current()->changes());
  };
  const auto operators = numbers(worlds_);
  const auto plans = numbers(plans_);
  CreatePlan("ops", "install-a");
  CreatePlan("blue", "install-b");
  CatchUp();
  EXPECT_EQ(numbers(worlds_), operators);
  EXPECT_NE(numbers(plans_), plans);
  const auto with_plans = numbers(plans_);
  CreateCsv("blue", "vault.v1");
  CatchUp();
  EXPECT_NE(numbers(worlds_), operators);
  EXPECT_EQ(numbers(plans_), with_plans);
}

TEST_F(VirtualApiTest, WhatServesAResourceLivesAsLongAsIt) {
  Follow();
  rest::Resource last;
  {
    std::vector<rest::Resource> resources = VirtualResources(Deps());
    last = std::move(resources.front());
  }
  EXPECT_THAT(List(last), ElementsAre("ops/etcd.v1"));
}

// All the code that a new view needs outside of its folder.
rest::Resource SampleView(const ViewDeps& deps) {
  const auto view = std::make_shared<views::Samples>(deps.worlds.store(), ReadOptions(deps.worlds));
  rest::Resource resource = view->Resource();
  resource.owner = view;
  return resource;
}

TEST_F(VirtualApiTest, AViewIsAFolderAndAnEntry) {
  std::vector<View> views = KnownViews();
  views.push_back(SampleView);
  const std::vector<rest::Resource> resources = VirtualResources(Deps(), views);
  ASSERT_EQ(resources.size(), KnownViews().size() + 1);
  Follow();
  const rest::Resource& samples = resources.back();
  EXPECT_EQ(samples.descriptor.plural, "samples");
  EXPECT_THAT(samples.Verbs(), ElementsAre("get", "list", "watch"));
  EXPECT_THAT(List(samples), ElementsAre("ops/etcd.v1"));

  const kube::NamespacedName name = {"ops", "etcd.v1"};
  const rest::ReadOptions newest;
  absl::StatusOr<rest::Reading> reading = store_.Run(samples.get->Get(name, newest));
  ASSERT_OK(reading);
  Rope json;
  reading->cursor->Next()->AppendJson(reading->resource_version, json);
  EXPECT_THAT(json.Flatten(), HasSubstr(R"("kind":"Sample","metadata":{"name":"etcd.v1",)"));

  rest::WatchOptions watch;
  watch.resource_version = reading->resource_version;
  watch.timeout = absl::Minutes(5);
  const rest::Selection everything;
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<rest::EventStream> stream,
                       store_.Run(samples.watch->Watch(everything, watch)));
  CreateCsv("blue", "vault.v1");
  const absl::StatusOr<std::optional<rest::WatchEvent>> event = store_.Run(stream->Next());
  ASSERT_OK(event);
  ASSERT_TRUE(event->has_value());
  EXPECT_EQ((*event)->type, rest::WatchEvent::Type::kAdded);
  EXPECT_EQ((*event)->object->name(), "vault.v1");
}

TEST_F(VirtualApiTest, PreviewsAreAskedOfTheControllersOfTheirFamily) {
  const std::vector<rest::Resource> resources = VirtualResources(Deps());
  ASSERT_NE(resources[2].review, nullptr);
  const struct {
    std::string spec;
    std::string why;
  } rows[] = {
      {R"({"installPlan":{"name":"a"}})", "nobody plans"},
      {R"({"bundle":{"manifests":[{}]}})", "nobody plans"},
      {R"({"uninstall":{"clusterServiceVersion":"a"}})", "nobody cleans up"},
      {R"({"copiedCSVs":{"enabled":true}})", "nobody copies"},
  };
  for (const auto& row : rows) {
    rest::ReviewRequest request;
    request.ns = "ops";
    request.question["spec"] = *ParseJson(row.spec);
    const kube::UserInfo user;
    EXPECT_THAT(store_.Run(resources[2].review->Review(user, std::move(request))).status(),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr(row.why)));
  }
}

TEST_F(VirtualApiTest, PendingOperandsAreAskedOfTheControllers) {
  const std::vector<rest::Resource> resources = VirtualResources(Deps());
  ASSERT_EQ(resources[1].subresources.size(), 1u);
  const absl::StatusOr<std::string> page = store_.Run(
      resources[1].subresources[0].get_page->GetPage(kube::UserInfo(), rest::PageRequest()));
  EXPECT_THAT(page, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("nobody is there")));
}

}  // namespace
}  // namespace steward
