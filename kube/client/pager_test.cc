#include "kube/client/pager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

class PagerTest : public ::testing::Test {
 protected:
  PagerTest() {
    cluster_.Serve(kWidgets);
    for (const std::string ns : {"a", "b"}) {
      for (int i = 0; i < 5; ++i) {
        cluster_.Put(kWidgets,
                     StrCat(R"({"metadata":{"name":"w)", i, R"(","namespace":")", ns, R"("}})"));
      }
    }
  }
  absl::Status Visit(const std::string& ns, int64_t limit, size_t max_bytes = 0) {
    ListOptions options;
    options.ns = ns;
    options.limit = limit;
    options.max_bytes = max_bytes;
    return RunOn(io_, VisitAll(cluster_, kWidgets, options, [this](const RawObject& object) {
                   visited_.emplace_back(object.json);
                   if (on_visit_) return on_visit_();
                   return absl::OkStatus();
                 }));
  }

  boost::asio::io_context io_{1};
  FakeClient cluster_;
  std::vector<std::string> visited_;
  std::function<absl::Status()> on_visit_;
};

TEST_F(PagerTest, VisitsEveryObjectOnce) {
  for (const int64_t limit : {1, 3, 5, 10, 500}) {
    SCOPED_TRACE(limit);
    visited_.clear();
    EXPECT_OK(Visit("", limit));
    EXPECT_THAT(visited_, SizeIs(10));
    EXPECT_EQ(std::set<std::string>(visited_.begin(), visited_.end()).size(), 10u);
    visited_.clear();
    EXPECT_OK(Visit("b", limit));
    EXPECT_THAT(visited_, SizeIs(5));
  }
  visited_.clear();
  EXPECT_OK(Visit("c", 3));
  EXPECT_THAT(visited_, IsEmpty());
}

TEST_F(PagerTest, AnErrorOfTheVisitorEndsTheList) {
  on_visit_ = [this] {
    return visited_.size() == 4 ? absl::DataLossError("odd") : absl::OkStatus();
  };
  EXPECT_THAT(Visit("", 3), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(visited_, SizeIs(4));
}

TEST_F(PagerTest, APageThatExpiredIsTheCallers) {
  on_visit_ = [this] {
    if (visited_.size() == 3) cluster_.Expire(kWidgets);
    return absl::OkStatus();
  };
  EXPECT_TRUE(IsExpired(Visit("", 3)));
  EXPECT_THAT(visited_, SizeIs(3));
}

// Objects of a namespace in front of and behind small ones.
class LargeObjectsTest : public PagerTest {
 protected:
  void PutLarge(const std::string& name, size_t bytes) {
    cluster_.Put(kWidgets, StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"b"},"x":")",
                                  std::string(bytes, 'x'), "\"}"));
  }
  int Lists() { return cluster_.calls(FakeClient::Verb::kList, kWidgets); }
};

TEST_F(LargeObjectsTest, APageThatIsTooLargeIsReadInSmallerOnes) {
  for (int i = 0; i < 5; ++i) PutLarge(StrCat("large", i), 900);
  EXPECT_OK(Visit("", 500, 2500));
  EXPECT_THAT(visited_, SizeIs(15));
  EXPECT_EQ(std::set<std::string>(visited_.begin(), visited_.end()).size(), 15u);
}

// A list that is too large for one answer is read in pages, even if the caller asked for no paging.
TEST_F(LargeObjectsTest, AListThatWasToBeOnePageIsReadInPages) {
  for (int i = 0; i < 5; ++i) PutLarge(StrCat("large", i), 900);
  cluster_.LimitLists(kWidgets, 2500);
  EXPECT_OK(Visit("", 0));
  EXPECT_THAT(visited_, SizeIs(15));
}

TEST_F(LargeObjectsTest, PagesGrowAgain) {
  PutLarge("large", 9000);
  for (int i = 0; i < 200; ++i) {
    cluster_.Put(kWidgets, StrCat(R"({"metadata":{"name":"z)", 100 + i, R"(","namespace":"b"}})"));
  }
  EXPECT_OK(Visit("", 500, 10'000));
  EXPECT_THAT(visited_, SizeIs(211));
  EXPECT_LE(Lists(), 20);
}

TEST_F(LargeObjectsTest, OneAloneMayBeAsLargeAsTheClientTakes) {
  PutLarge("large", 9000);
  EXPECT_OK(Visit("", 500, 1000));
  EXPECT_THAT(visited_, SizeIs(11));
}

TEST_F(LargeObjectsTest, WhatTheClientDoesNotTakeIsNamed) {
  PutLarge("w3large", 9000);
  cluster_.LimitLists(kWidgets, 5000);
  EXPECT_THAT(Visit("", 500, 1000),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("after b/w3 ")));
  EXPECT_THAT(visited_, SizeIs(9));
}

TEST_F(LargeObjectsTest, AServerThatIsBusyIsNotAskedForLess) {
  cluster_.FailNext(FakeClient::Verb::kList, kWidgets,
                    ToStatus(TooManyRequests("later", /*retry_after_seconds=*/1)));
  EXPECT_FALSE(Visit("", 500).ok());
  EXPECT_EQ(Lists(), 1);
}

}  // namespace
}  // namespace steward::kube
