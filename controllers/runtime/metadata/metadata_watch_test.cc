#include "controllers/runtime/metadata/metadata_watch.h"

#include <boost/asio/io_context.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/client/object_meta.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};

using Namespaces = std::optional<std::set<std::string>>;

// A client that records the options of lists and watches.
class AskingClient : public kube::FakeClient {
 public:
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    lists.push_back(options);
    return FakeClient::List(gvr, options);
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    watches.push_back(options);
    return FakeClient::StartWatch(gvr, options);
  }
  std::vector<kube::ListOptions> lists;
  std::vector<kube::WatchOptions> watches;
};

class MetadataWatchTest : public ::testing::Test {
 protected:
  MetadataWatchTest() { cluster_.Serve(kWidgets); }
  ~MetadataWatchTest() override {
    watch_ = nullptr;
    other_ = nullptr;
    RunOn(io_, watches_.Stop());
  }

  void Put(const std::string& ns, const std::string& name, const std::string& more = "") {
    cluster_.Put(kWidgets, R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name +
                               R"(","uid":")" + ns + "-" + name + "\"" + more + "}}");
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  MetadataCallbacks Noting() {
    return {
        [this](const kube::NamespacedName& name) { told_.push_back(name.ns + "/" + name.name); },
        [this] { told_.push_back("synced"); }};
  }
  std::unique_ptr<MetadataWatch> Open(Namespaces namespaces) {
    MetadataSelection selection;
    selection.gvr = kWidgets;
    selection.namespaces = std::move(namespaces);
    return watches_.Open(std::move(selection), Noting());
  }
  static std::vector<std::string> Names(const MetadataWatch& watch) {
    std::vector<std::string> names;
    watch.ForEach([&names](const kube::ObjectMeta& object) {
      names.push_back(object.name.ns + "/" + object.name.name);
    });
    return names;
  }
  std::vector<std::string> Told() { return std::exchange(told_, {}); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  AskingClient cluster_;
  MetadataWatches watches_{cluster_,
                           clock_,
                           random_,
                           io_.get_executor(),
                           {.max_objects = 5, .max_separate_namespaces = 2}};
  std::vector<std::string> told_;
  std::unique_ptr<MetadataWatch> watch_;
  std::unique_ptr<MetadataWatch> other_;
};

TEST_F(MetadataWatchTest, FollowsWhatItHolds) {
  Put("n", "a");
  Put("n", "b");
  watch_ = Open(std::nullopt);
  EXPECT_FALSE(watch_->synced());
  EXPECT_THAT(Told(), IsEmpty()) << "not within the call";
  Settle();
  EXPECT_TRUE(watch_->synced());
  EXPECT_OK(watch_->health());
  EXPECT_THAT(Told(), ElementsAre("n/a", "n/b", "synced"));
  Put("n", "c");
  Put("n", "a", R"(,"finalizers":["f"])");
  cluster_.Delete(kWidgets, {"n", "b"});
  Settle();
  EXPECT_THAT(Told(), ElementsAre("n/c", "n/a", "n/b"));
  EXPECT_THAT(Names(*watch_), ElementsAre("n/a", "n/c"));
  EXPECT_EQ(watch_->size(), 2u);
  EXPECT_THAT(watch_->Find({"n", "a"})->finalizers, ElementsAre("f"));
  EXPECT_EQ(watch_->Find({"n", "b"}), nullptr);
}

TEST_F(MetadataWatchTest, AsksForMetadataOnly) {
  MetadataSelection selection;
  selection.gvr = kWidgets;
  selection.label_selector = "!copied";
  watch_ = watches_.Open(selection, {});
  other_ = Open(std::nullopt);
  Settle();
  ASSERT_EQ(cluster_.lists.size(), 2u);
  EXPECT_EQ(cluster_.lists[0].label_selector, "!copied");
  EXPECT_TRUE(cluster_.lists[0].metadata_only);
  EXPECT_EQ(cluster_.lists[1].label_selector, "");
  ASSERT_EQ(cluster_.watches.size(), 2u);
  for (const auto& watch : cluster_.watches) EXPECT_TRUE(watch.metadata_only);
  EXPECT_OK(watch_->health());
}

TEST_F(MetadataWatchTest, WhatIsNotHeldIsNoChange) {
  Put("n", "a");
  watch_ = Open(std::nullopt);
  Settle();
  Told();
  Put("n", "a", R"(,"labels":{"x":"y"})");
  Settle();
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(MetadataWatchTest, WhatHoldsNothingTellsOfWhatComesAndGoes) {
  Put("n1", "a");
  MetadataSelection selection;
  selection.gvr = kWidgets;
  selection.namespaces = {"n1", "n2", "n3"};
  selection.hold = false;
  EXPECT_EQ(watches_.StreamsOf(selection), 1u);
  watch_ = watches_.Open(selection, Noting());
  Settle();
  EXPECT_TRUE(watch_->synced());
  EXPECT_THAT(Told(), ElementsAre("synced"));
  for (int i = 0; i < 7; ++i) Put("n2", "b" + std::to_string(i));
  EXPECT_EQ(watch_->size(), 0u);
  Put("n4", "a");
  Settle();
  EXPECT_THAT(Told(), SizeIs(7));
  Put("n1", "a", R"(,"finalizers":["f"])");
  cluster_.Delete(kWidgets, {"n1", "a"});
  cluster_.Delete(kWidgets, {"n4", "a"});
  Settle();
  EXPECT_THAT(Told(), ElementsAre("n1/a")) << "it is gone, which was not held";
  EXPECT_EQ(watch_->size(), 0u);
  EXPECT_FALSE(watch_->truncated());
  // A new list is reported, whatever it contains.
  cluster_.BreakWatches(kWidgets, kube::ToStatus(kube::Expired("x")));
  Settle();
  clock_.Advance(absl::Seconds(10));
  Settle();
  EXPECT_THAT(Told(), ElementsAre("synced"));
}

TEST_F(MetadataWatchTest, WhoHoldsAndWhoDoesNotShareNothing) {
  Put("n", "a");
  watch_ = Open(std::nullopt);
  MetadataSelection selection;
  selection.gvr = kWidgets;
  selection.hold = false;
  other_ = watches_.Open(selection, {});
  Settle();
  EXPECT_THAT(Names(*watch_), ElementsAre("n/a"));
  EXPECT_EQ(other_->size(), 0u);
  EXPECT_EQ(watches_.running(), 2u);
  EXPECT_EQ(other_->streams(), 1u);
}

TEST_F(MetadataWatchTest, EndsWithItsLastUser) {
  EXPECT_EQ(watches_.running(), 0u);
  watch_ = Open(std::nullopt);
  other_ = Open(std::nullopt);
  Settle();
  EXPECT_EQ(watches_.running(), 1u);
  EXPECT_EQ(cluster_.calls(ClientVerb::kList, kWidgets), 1) << "shared";
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
  watch_ = nullptr;
  Settle();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
  other_ = nullptr;
  Settle();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 0u);
  EXPECT_EQ(watches_.running(), 0u);
  // An informer starts again with the next watch.
  watch_ = Open(std::nullopt);
  Settle();
  EXPECT_TRUE(watch_->synced());
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
}

TEST_F(MetadataWatchTest, WhoComesLaterFindsWhatIsThere) {
  Put("n", "a");
  watch_ = Open(std::nullopt);
  Settle();
  Told();
  other_ = Open(std::nullopt);
  EXPECT_TRUE(other_->synced());
  EXPECT_THAT(Names(*other_), ElementsAre("n/a"));
  Settle();
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(MetadataWatchTest, FewNamespacesAreListedByThemselves) {
  Put("n1", "a");
  Put("n2", "a");
  Put("n3", "a");
  watch_ = Open(std::set<std::string>{"n1", "n2"});
  Settle();
  EXPECT_TRUE(watch_->synced());
  EXPECT_THAT(Names(*watch_), ElementsAre("n1/a", "n2/a"));
  ASSERT_EQ(cluster_.lists.size(), 2u);
  EXPECT_EQ(cluster_.lists[0].ns, "n1");
  EXPECT_EQ(cluster_.lists[1].ns, "n2");
  other_ = Open(std::set<std::string>{"n2", "n3"});
  Settle();
  EXPECT_EQ(cluster_.lists.size(), 3u) << "n2 is shared";
  EXPECT_THAT(Names(*other_), ElementsAre("n2/a", "n3/a"));
  watch_ = nullptr;
  Settle();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 2u);
}

TEST_F(MetadataWatchTest, ManyNamespacesAreOneListAndAFilter) {
  for (const char* ns : {"n1", "n2", "n3", "n4", "n5"}) Put(ns, "a");
  watch_ = Open(std::set<std::string>{"n1", "n2", "n3"});
  Settle();
  EXPECT_EQ(cluster_.lists.size(), 1u);
  EXPECT_EQ(cluster_.lists[0].ns, "");
  EXPECT_THAT(Names(*watch_), ElementsAre("n1/a", "n2/a", "n3/a"));
  EXPECT_THAT(Told(), ElementsAre("n1/a", "n2/a", "n3/a", "synced"));
  Put("n4", "b");
  Put("n1", "b");
  Settle();
  EXPECT_THAT(Told(), ElementsAre("n1/b"));
}

TEST_F(MetadataWatchTest, AWiderFilterListsAnewAndKeepsWhatItHas) {
  for (const char* ns : {"n1", "n2", "n3", "n4"}) Put(ns, "a");
  watch_ = Open(std::set<std::string>{"n1", "n2", "n3"});
  Settle();
  Told();
  other_ = Open(std::set<std::string>{"n2", "n3", "n4"});
  EXPECT_TRUE(watch_->synced());
  EXPECT_FALSE(other_->synced());
  EXPECT_THAT(Names(*watch_), ElementsAre("n1/a", "n2/a", "n3/a"));
  Settle();
  EXPECT_TRUE(other_->synced());
  EXPECT_EQ(cluster_.lists.size(), 2u);
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
  EXPECT_THAT(Names(*other_), ElementsAre("n2/a", "n3/a", "n4/a"));
  // Only the new object is reported, to the watch that selects it; the list is reported to both.
  EXPECT_THAT(Told(), ElementsAre("n4/a", "synced", "synced"));
}

TEST_F(MetadataWatchTest, HoldsNoMoreThanItMay) {
  for (int i = 0; i < 7; ++i) Put("n", "a" + std::to_string(i));
  watch_ = Open(std::nullopt);
  Settle();
  EXPECT_TRUE(watch_->synced());
  EXPECT_TRUE(watch_->truncated());
  EXPECT_EQ(watch_->size(), 5u);
  Put("n", "b");
  Put("n", "a6", R"(,"finalizers":["f"])");
  Settle();
  EXPECT_EQ(watch_->size(), 5u);
  // A new list shows that there are fewer.
  for (int i = 0; i < 4; ++i) cluster_.Delete(kWidgets, {"n", "a" + std::to_string(i)});
  Settle();
  EXPECT_TRUE(watch_->truncated());
  cluster_.BreakWatches(kWidgets, kube::ToStatus(kube::Expired("x")));
  Settle();
  EXPECT_FALSE(watch_->health().ok());
  clock_.Advance(absl::Seconds(10));
  Settle();
  EXPECT_OK(watch_->health());
  EXPECT_FALSE(watch_->truncated());
  EXPECT_THAT(Names(*watch_), ElementsAre("n/a4", "n/a5", "n/a6", "n/b"));
}

TEST_F(MetadataWatchTest, ATypeThatIsNotThereIsEmpty) {
  cluster_.Withdraw(kWidgets);
  watch_ = Open(std::nullopt);
  for (int i = 0; i < 10; ++i) {
    Settle();
    clock_.Advance(absl::Seconds(5));
  }
  Settle();
  EXPECT_TRUE(watch_->synced());
  EXPECT_EQ(watch_->size(), 0u);
}

TEST_F(MetadataWatchTest, ACallbackMayLetGo) {
  Put("n", "a");
  Put("n", "b");
  MetadataSelection selection;
  selection.gvr = kWidgets;
  MetadataCallbacks callbacks;
  callbacks.changed = [this](const kube::NamespacedName& name) {
    told_.push_back(name.name);
    watch_ = nullptr;
  };
  watch_ = watches_.Open(selection, callbacks);
  Settle();
  EXPECT_THAT(Told(), ElementsAre("a"));
  EXPECT_EQ(watches_.running(), 0u);
  EXPECT_EQ(cluster_.running_watches(kWidgets), 0u);
}

TEST_F(MetadataWatchTest, ACallbackMayOpenAnother) {
  Put("n", "a");
  MetadataSelection selection;
  selection.gvr = kWidgets;
  MetadataCallbacks callbacks;
  callbacks.synced = [this] {
    if (other_ == nullptr) other_ = Open(std::nullopt);
  };
  watch_ = watches_.Open(selection, callbacks);
  Settle();
  ASSERT_NE(other_, nullptr);
  EXPECT_TRUE(other_->synced());
}

}  // namespace
}  // namespace steward::controllers
