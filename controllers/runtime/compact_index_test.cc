#include "controllers/runtime/compact_index.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"

namespace steward::controllers {
namespace {

using kube::FakeClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};

// Only spec.size matters of a widget.
absl::StatusOr<CompactIndex::Observed> Observe(const kube::RawObject& object) {
  const boost::json::value value =
      boost::json::parse(boost::json::string_view(object.json.data(), object.json.size()));
  const auto& metadata = value.at("metadata").as_object();
  if (!value.at("spec").is_object()) return absl::InvalidArgumentError("a widget without spec");
  return CompactIndex::Observed{
      {metadata.at("namespace").as_string().c_str(), metadata.at("name").as_string().c_str()},
      DigestOf(value.at("spec").at("size").as_string().c_str())};
}

class CompactIndexTest : public ::testing::Test {
 protected:
  CompactIndexTest() { cluster_.Serve(kWidgets); }
  ~CompactIndexTest() override { RunOn(io_, tasks_.Stop()); }

  static storage::ReflectorOptions Selection() {
    storage::ReflectorOptions options;
    options.gvr = kWidgets;
    options.page_size = 2;
    options.may_be_absent = true;
    return options;
  }
  void Put(const std::string& name, const std::string& size, const std::string& more = "0") {
    cluster_.Put(kWidgets, R"({"metadata":{"namespace":"n","name":")" + name +
                               R"("},"spec":{"size":")" + size + R"(","more":)" + more + "}}");
  }
  void Follow() {
    tasks_.Spawn("index", index_.Run());
    Settle();
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    Settle();
    for (; time > absl::ZeroDuration(); time -= absl::Milliseconds(500)) {
      clock_.Advance(absl::Milliseconds(500));
      Settle();
    }
  }
  // The size of the named widget, if it is one that the tests use; "" = there is none.
  std::string SizeOf(const std::string& name) {
    const ContentDigest* found = index_.Find({"n", name});
    if (found == nullptr) return "";
    for (const char* size : {"small", "large"}) {
      if (*found == DigestOf(size)) return size;
    }
    return "?";
  }
  std::vector<std::string> Told() { return std::exchange(told_, {}); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  FakeClient cluster_;
  std::vector<std::string> told_;
  CompactIndex index_{cluster_,
                      clock_,
                      random_,
                      Selection(),
                      {.observe = Observe,
                       .changed =
                           [this](const kube::NamespacedName& name, const ContentDigest* content) {
                             told_.push_back((content == nullptr ? "-" : "+") + name.name);
                           },
                       .listed = [this] { told_.push_back("listed"); }}};
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(CompactIndexTest, ListsInPagesAndFollows) {
  for (const char* name : {"a", "b", "c", "d", "e"}) Put(name, "small");
  EXPECT_THAT(index_.health(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("not begun")));
  Follow();
  EXPECT_OK(index_.health());
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kList, kWidgets), 3);
  EXPECT_EQ(index_.size(), 5u);
  EXPECT_THAT(Told(), ElementsAre("+a", "+b", "+c", "+d", "+e", "listed"));
  EXPECT_EQ(SizeOf("a"), "small");
  EXPECT_EQ(SizeOf("nope"), "");
  Put("a", "large");
  Put("f", "small");
  cluster_.Delete(kWidgets, {"n", "b"});
  Settle();
  EXPECT_THAT(Told(), ElementsAre("+a", "+f", "-b"));
  EXPECT_EQ(SizeOf("a"), "large");
  EXPECT_EQ(SizeOf("b"), "");
  EXPECT_EQ(index_.size(), 5u);
}

TEST_F(CompactIndexTest, WhatDoesNotMatterIsNotTold) {
  Put("a", "small");
  Follow();
  Told();
  Put("a", "small", "1");
  Settle();
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_EQ(SizeOf("a"), "small");
}

TEST_F(CompactIndexTest, TheSameNameElsewhereIsAnother) {
  Put("a", "small");
  Follow();
  EXPECT_EQ(index_.Find({"", "a"}), nullptr);
  EXPECT_EQ(index_.Find({"m", "a"}), nullptr);
  EXPECT_NE(index_.Find({"n", "a"}), nullptr);
}

TEST_F(CompactIndexTest, ALaterListForgetsWhatItLacks) {
  Put("a", "small");
  Put("b", "small");
  Put("c", "small");
  Follow();
  Told();
  // While there is no watch, one object goes and one changes; the server has dropped both events.
  cluster_.FailNext(FakeClient::Verb::kWatch, kWidgets, absl::UnavailableError("x"));
  cluster_.BreakWatches(kWidgets);
  Settle();
  EXPECT_THAT(index_.health(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("not followed")));
  EXPECT_EQ(SizeOf("b"), "small") << "as far as is known";
  cluster_.Delete(kWidgets, {"n", "b"});
  Put("c", "large");
  cluster_.Expire(kWidgets);
  // The first new list breaks off after its first page.
  cluster_.FailNext(FakeClient::Verb::kList, kWidgets, absl::OkStatus());
  cluster_.FailNext(FakeClient::Verb::kList, kWidgets, absl::UnavailableError("y"));
  Put("d", "small");
  Pass(absl::Minutes(1));
  EXPECT_OK(index_.health());
  EXPECT_THAT(Told(), ElementsAre("+c", "+d", "listed")) << "and nobody knows the name of b";
  EXPECT_EQ(SizeOf("a"), "small");
  EXPECT_EQ(SizeOf("b"), "");
  EXPECT_EQ(SizeOf("c"), "large");
  EXPECT_EQ(index_.size(), 3u);
}

TEST_F(CompactIndexTest, WithoutTheTypeThereIsNothing) {
  Put("a", "small");
  cluster_.Withdraw(kWidgets);
  Follow();
  Pass(absl::Minutes(1));
  EXPECT_OK(index_.health());
  EXPECT_EQ(index_.size(), 0u);
  EXPECT_THAT(Told(), ElementsAre("listed"));
}

TEST_F(CompactIndexTest, WhatIsNotUnderstoodMakesAllUnknown) {
  Put("a", "small");
  Follow();
  cluster_.Put(kWidgets, R"({"metadata":{"namespace":"n","name":"b"},"spec":1})");
  Settle();
  EXPECT_THAT(index_.health(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("a widget without spec")));
}

TEST_F(CompactIndexTest, EndedItKnowsNothing) {
  Put("a", "small");
  Follow();
  RunOn(io_, tasks_.Stop());
  EXPECT_EQ(index_.size(), 0u);
  EXPECT_FALSE(index_.health().ok());
}

}  // namespace
}  // namespace steward::controllers
