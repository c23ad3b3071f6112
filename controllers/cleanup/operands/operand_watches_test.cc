#include "controllers/cleanup/operands/operand_watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "olm/cleanup/target_set.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};
const kube::GroupVersionResource kGadgets = {"example.com", "v1", "gadgets"};
const kube::NamespacedName kCsv = {"ops", "widget.v1"};
const kube::NamespacedName kOther = {"ops", "other.v1"};
constexpr absl::Duration kDelay = absl::Milliseconds(200);

class OperandWatchesTest : public ::testing::Test {
 protected:
  OperandWatchesTest() {
    cluster_.Serve(kWidgets);
    cluster_.Serve(kGadgets);
    Begin({});
  }
  ~OperandWatchesTest() override {
    watches_ = nullptr;
    RunOn(io_, metadata_.Stop());
  }
  void Begin(OperandWatchesOptions options) {
    watches_ = nullptr;
    const auto wake = [this](const kube::NamespacedName& csv, absl::Duration delay) {
      woken_.push_back(StrCat(csv.name, " after ", absl::FormatDuration(delay)));
    };
    watches_ = std::make_unique<OperandWatches>(metadata_, clock_, metrics_, wake, options);
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Put(const std::string& ns, const std::string& name, const std::string& more = "") {
    cluster_.Put(kWidgets, StrCat(R"({"metadata":{"namespace":")", ns, R"(","name":")", name,
                                  R"(","uid":")", ns, "-", name, "\"", more, "}}"));
  }
  static OperandsOfCrd Pending(const kube::GroupVersionResource& gvr, olm::TargetSet targets) {
    OperandsOfCrd operands;
    operands.gvr = gvr;
    operands.plan.crd = gvr.GroupResource();
    operands.plan.targets = std::move(targets);
    operands.pending.resize(1);
    return operands;
  }
  static OperandListing Widgets(const std::vector<std::string>& targets) {
    OperandListing listing;
    listing.crds.push_back(Pending(kWidgets, olm::TargetSet::Of(targets)));
    return listing;
  }
  bool Follow(const OperandListing& listing, const kube::NamespacedName& csv = kCsv) {
    return watches_->Follow(csv, listing, kDelay);
  }
  std::vector<std::string> Woken() {
    Settle();
    return std::exchange(woken_, {});
  }
  std::string Metrics() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient cluster_;
  prometheus::Registry registry_;
  CleanupMetrics metrics_{registry_};
  MetadataWatches metadata_{cluster_, clock_, random_, io_.get_executor()};
  std::vector<std::string> woken_;
  std::unique_ptr<OperandWatches> watches_;
};

TEST_F(OperandWatchesTest, WakesForWhatComesAndGoes) {
  Put("a", "x");
  EXPECT_FALSE(Follow(Widgets({"a"}))) << "what goes before it has begun would be missed";
  EXPECT_THAT(Metrics(), HasSubstr(R"(reason="Starting")"));
  EXPECT_THAT(woken_, IsEmpty()) << "not within the call";
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms")) << "a look after it has begun";
  EXPECT_TRUE(Follow(Widgets({"a"})));
  EXPECT_THAT(Metrics(), Not(HasSubstr("steward_cleanup_polled{")));
  EXPECT_EQ(cluster_.calls(ClientVerb::kList, kWidgets), 1) << "the same watch";
  Put("a", "x", R"(,"labels":{"busy":"yes"})");
  EXPECT_THAT(Woken(), IsEmpty()) << "nothing that matters";
  Put("a", "y");
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms"));
  cluster_.Delete(kWidgets, {"a", "x"});
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms"));
  watches_->Stop(kCsv);
  cluster_.Delete(kWidgets, {"a", "y"});
  EXPECT_THAT(Woken(), IsEmpty());
  EXPECT_EQ(cluster_.running_watches(kWidgets), 0u);
  EXPECT_EQ(watches_->streams(), 0u);
  watches_->Stop(kCsv);
}

TEST_F(OperandWatchesTest, FewPlacesAreWatchedOneByOneAndManyTogether) {
  Follow(Widgets({"a", "b", "c"}));
  Settle();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 3u);
  EXPECT_EQ(watches_->streams(), 3u);
  OperandListing more = Widgets({"a", "b"});
  more.crds[0].plan.drain = olm::TargetSet::Of({"c", "d"});
  EXPECT_FALSE(Follow(more));
  Woken();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
  EXPECT_TRUE(Follow(more));
  Put("d", "x");
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms"));
  Put("e", "x");
  EXPECT_THAT(Woken(), IsEmpty()) << "not waited for";
  OperandListing all;
  all.crds.push_back(Pending(kWidgets, olm::TargetSet::All()));
  all.crds.push_back(Pending(kGadgets, olm::TargetSet::All()));
  Follow(all);
  Woken();
  EXPECT_TRUE(Follow(all));
  EXPECT_EQ(watches_->streams(), 2u);
  all.crds[1].pending.clear();
  EXPECT_TRUE(Follow(all));
  Settle();
  EXPECT_EQ(cluster_.running_watches(kGadgets), 0u) << "nothing is waited for there";
}

TEST_F(OperandWatchesTest, ADefinitionsEndIsNoEvent) {
  OperandListing listing = Widgets({"a"});
  listing.terminating_crds.push_back("widgets.example.com");
  Follow(listing);
  Settle();
  EXPECT_FALSE(Follow(listing));
  EXPECT_THAT(Metrics(), Not(HasSubstr("steward_cleanup_polled{")));
}

// The watch may fail by a 403, a dead conversion webhook and so on.
TEST_F(OperandWatchesTest, WhatCannotBeWatchedIsPolled) {
  for (const ClientVerb verb : {ClientVerb::kList, ClientVerb::kWatch}) {
    cluster_.FailNext(verb, kWidgets, kube::ToStatus(kube::Forbidden(kWidgets, "", "no")), 1000);
    absl::Duration waited;
    for (; watches_->streams() > 0 || waited == absl::ZeroDuration(); waited += absl::Seconds(1)) {
      EXPECT_FALSE(Follow(Widgets({"a"})));
      Settle();
      clock_.Advance(absl::Seconds(1));
    }
    EXPECT_GE(waited, absl::Seconds(15));
    EXPECT_LE(waited, absl::Seconds(20));
    Settle();
    EXPECT_EQ(metadata_.running(), 0u) << "nobody goes on trying";
    EXPECT_THAT(
        Metrics(),
        HasSubstr(R"(steward_cleanup_polled{name="widget.v1",namespace="ops",reason="Failed"} 1)"));
    cluster_.ForgetFaults(kWidgets);
    clock_.Advance(absl::Seconds(100));
    EXPECT_FALSE(Follow(Widgets({"a"})));
    EXPECT_EQ(watches_->streams(), 0u) << "not yet";
    clock_.Advance(absl::Seconds(30));
    EXPECT_FALSE(Follow(Widgets({"a"})));
    Settle();
    EXPECT_TRUE(Follow(Widgets({"a"}))) << "it has got better";
    watches_->Stop(kCsv);
    Woken();
  }
}

TEST_F(OperandWatchesTest, ABrokenStreamIsMendedAndAnOldOneListsAnew) {
  Follow(Widgets({"a"}));
  Woken();
  EXPECT_TRUE(Follow(Widgets({"a"})));
  cluster_.BreakWatches(kWidgets);
  Settle();
  EXPECT_FALSE(Follow(Widgets({"a"})));
  Put("a", "x");
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(absl::Seconds(1));
    Settle();
  }
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms")) << "what was missed is told";
  EXPECT_TRUE(Follow(Widgets({"a"})));
  cluster_.Delete(kWidgets, {"a", "x"});
  cluster_.BreakWatches(kWidgets, kube::ToStatus(kube::Expired("too old")));
  Woken();
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(absl::Seconds(1));
    Settle();
  }
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms")) << "a list may show anything";
  EXPECT_TRUE(Follow(Widgets({"a"})));
}

TEST_F(OperandWatchesTest, NoMoreThanSoMany) {
  OperandWatchesOptions options;
  options.max_streams = 3;
  Begin(options);
  Follow(Widgets({"a", "b"}));
  Settle();
  EXPECT_FALSE(Follow(Widgets({"c", "d"}), kOther));
  Settle();
  EXPECT_FALSE(Follow(Widgets({"c", "d"}), kOther));
  EXPECT_EQ(watches_->streams(), 2u);
  EXPECT_THAT(Metrics(), HasSubstr(R"(name="other.v1",namespace="ops",reason="TooManyWatches")"));
  EXPECT_THAT(Metrics(), HasSubstr("steward_cleanup_operand_watches 2"));
  EXPECT_TRUE(Follow(Widgets({"a", "b"})));
  watches_->Stop(kCsv);
  EXPECT_FALSE(Follow(Widgets({"c", "d"}), kOther));
  Settle();
  EXPECT_TRUE(Follow(Widgets({"c", "d"}), kOther));
}

TEST_F(OperandWatchesTest, TwoCleanupsThatWaitForTheSameShareAWatch) {
  Follow(Widgets({"a"}));
  Follow(Widgets({"a"}), kOther);
  Woken();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
  watches_->Stop(kOther);
  Put("a", "x");
  EXPECT_THAT(Woken(), ElementsAre("widget.v1 after 200ms"));
}

}  // namespace
}  // namespace steward::controllers
