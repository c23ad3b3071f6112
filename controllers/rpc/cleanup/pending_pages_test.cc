#include "controllers/rpc/cleanup/pending_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

const kube::NamespacedName kCsv = {"ops", "widget.v1"};

class PendingPagesTest : public ::testing::Test {
 protected:
  void Add(const std::string& plural, const std::string& ns, const std::string& name) {
    operands_[plural].insert({ns, name});
  }
  void Remove(const std::string& plural, const std::string& ns, const std::string& name) {
    operands_[plural].erase({ns, name});
  }
  PendingPages Make(PendingPagesOptions options = {}) {
    return PendingPages(
        clock_, [this](kube::NamespacedName) { return List(); }, options);
  }
  // Lists the operands in no particular order.
  Task<controllers::OperandListing> List() {
    ++listings_;
    if (!failure_.ok()) co_return failure_;
    controllers::OperandListing listing;
    for (const auto& [plural, names] : operands_) {
      controllers::OperandsOfCrd crd;
      crd.gvr = {"example.com", "v1", plural};
      crd.plan.kind = "Kind";
      for (auto it = names.rbegin(); it != names.rend(); ++it) {
        controllers::Operand operand;
        operand.name = *it;
        operand.uid = StrCat("uid-", it->name);
        operand.finalizers = {"example.com/f"};
        crd.pending.push_back(std::move(operand));
      }
      listing.crds.push_back(std::move(crd));
    }
    listing.terminating_crds = terminating_;
    co_return listing;
  }
  static cleanup::v1::ListPendingRequest Request(const std::string& token) {
    cleanup::v1::ListPendingRequest request;
    request.set_namespace_(kCsv.ns);
    request.set_name(kCsv.name);
    request.set_page_token(token);
    return request;
  }
  absl::StatusOr<cleanup::v1::ListPendingResponse> Page(PendingPages& pages, size_t size,
                                                        const std::string& token = "") {
    const rpc::MayList may_list = [this](kube::GroupVersionResource gvr, std::string ns) {
      return MayList(std::move(gvr), std::move(ns));
    };
    return RunOn(io_, pages.Page(Request(token), size, may_list));
  }
  Task<bool> MayList(kube::GroupVersionResource gvr, std::string ns) {
    ++reviews_;
    co_return !forbidden_.contains(StrCat(gvr.resource, "/", ns));
  }
  static std::vector<std::string> Names(const cleanup::v1::ListPendingResponse& page) {
    std::vector<std::string> names;
    for (const cleanup::v1::PendingOperand& operand : page.operands()) {
      names.push_back(StrCat(operand.plural(), " ", operand.namespace_(), "/", operand.name()));
    }
    return names;
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  std::map<std::string, std::set<kube::NamespacedName>> operands_;
  std::vector<std::string> terminating_;
  std::set<std::string> forbidden_;
  absl::Status failure_;
  int listings_ = 0;
  int reviews_ = 0;
};

TEST_F(PendingPagesTest, PagesAreInOrderAndOfOneListing) {
  Add("widgets", "b", "one");
  Add("widgets", "a", "two");
  Add("gadgets", "", "wide");
  terminating_ = {"widgets.example.com"};
  PendingPages pages = Make();
  const auto first = Page(pages, 3);
  ASSERT_OK(first);
  EXPECT_THAT(Names(*first), ElementsAre("customresourcedefinitions /widgets.example.com",
                                         "gadgets /wide", "widgets a/two"));
  EXPECT_EQ(first->remaining(), 1);
  EXPECT_EQ(first->operands(2).uid(), "uid-two");
  EXPECT_EQ(first->operands(2).group(), "example.com");
  EXPECT_THAT(first->operands(2).finalizers(), ElementsAre("example.com/f"));
  const auto second = Page(pages, 3, first->next_page_token());
  ASSERT_OK(second);
  EXPECT_THAT(Names(*second), ElementsAre("widgets b/one"));
  EXPECT_EQ(second->remaining(), 0);
  EXPECT_EQ(second->next_page_token(), "");
  EXPECT_EQ(listings_, 1);
}

TEST_F(PendingPagesTest, TwentyThousandOnPagesOfFiveHundredWhateverIsForgotten) {
  std::vector<std::string> all;
  for (int i = 0; i < 20'000; ++i) {
    Add("widgets", StrCat("ns-", i % 7), StrCat("w-", 100'000 + i));
  }
  for (const auto& name : operands_["widgets"])
    all.push_back(StrCat("widgets ", name.ns, "/", name.name));
  PendingPages pages = Make();
  std::vector<std::string> seen;
  std::string token;
  int count = 0;
  do {
    const auto page = Page(pages, 500, token);
    ASSERT_OK(page);
    EXPECT_EQ(page->operands_size(), 500);
    for (std::string& name : Names(*page)) seen.push_back(std::move(name));
    EXPECT_EQ(page->remaining(), 20'000 - static_cast<int>(seen.size()));
    token = page->next_page_token();
    // Drops the kept listing before some pages, and reads some pages from another replica.
    if (++count % 10 == 0) clock_.Advance(absl::Minutes(1));
    if (count % 15 == 0) {
      PendingPages other = Make();
      const auto same = Page(other, 500, token);
      ASSERT_OK(same);
      EXPECT_EQ(same->operands(0).name(), Page(pages, 500, token)->operands(0).name());
    }
  } while (!token.empty());
  EXPECT_EQ(count, 40);
  EXPECT_THAT(seen, ElementsAreArray(all));
  EXPECT_LE(listings_, 8);
}

TEST_F(PendingPagesTest, WhatStaysIsOnExactlyOnePageThoughOthersComeAndGo) {
  for (int i = 0; i < 10; ++i) Add("widgets", "a", StrCat("w-", i));
  PendingPages pages = Make();
  const auto first = Page(pages, 4);
  ASSERT_OK(first);
  clock_.Advance(absl::Minutes(1));
  Remove("widgets", "a", "w-3");  // the exact position that the token names
  Remove("widgets", "a", "w-5");
  Add("widgets", "a", "w-1b");
  Add("widgets", "a", "w-8b");
  const auto rest = Page(pages, 100, first->next_page_token());
  EXPECT_THAT(Names(*rest), ElementsAre("widgets a/w-4", "widgets a/w-6", "widgets a/w-7",
                                        "widgets a/w-8", "widgets a/w-8b", "widgets a/w-9"));
}

TEST_F(PendingPagesTest, WhatMayNotBeListedIsCounted) {
  Add("gadgets", "", "wide");
  for (const char* ns : {"a", "b", "c"}) Add("widgets", ns, "w");
  forbidden_ = {"gadgets/", "widgets/", "widgets/b"};
  PendingPages pages = Make();
  const auto page = Page(pages, 100);
  ASSERT_OK(page);
  EXPECT_THAT(Names(*page), ElementsAre("widgets a/w", "widgets c/w"));
  EXPECT_EQ(page->hidden(), 2);
}

TEST_F(PendingPagesTest, TheWholeClusterIsAskedForFirst) {
  for (int i = 0; i < 50; ++i) Add("widgets", StrCat("ns-", i), "w");
  PendingPages pages = Make();
  ASSERT_OK(Page(pages, 100));
  EXPECT_EQ(reviews_, 1);
}

TEST_F(PendingPagesTest, ReviewsOfOnePageAreBounded) {
  for (int i = 0; i < 25; ++i) Add("widgets", StrCat("ns-", 100 + i), "w");
  forbidden_ = {"widgets/"};
  for (int i = 0; i < 25; ++i) forbidden_.insert(StrCat("widgets/ns-", 100 + i));
  PendingPagesOptions options;
  options.max_reviews = 10;
  PendingPages pages = Make(options);
  std::string token;
  int64_t hidden = 0;
  std::vector<int64_t> counts;
  do {
    reviews_ = 0;
    const auto page = Page(pages, 100, token);
    ASSERT_OK(page);
    EXPECT_LE(reviews_, 11);
    EXPECT_THAT(Names(*page), IsEmpty());
    hidden += page->hidden();
    counts.push_back(page->remaining());
    token = page->next_page_token();
  } while (!token.empty());
  EXPECT_EQ(hidden, 25);
  EXPECT_THAT(counts, ElementsAre(15, 5, 0));
}

TEST_F(PendingPagesTest, BytesOfOnePageAreBounded) {
  for (int i = 0; i < 30; ++i) Add("widgets", "a", StrCat("w-", std::string(200, 'x'), i));
  PendingPagesOptions options;
  options.max_bytes = 2000;
  PendingPages pages = Make(options);
  const auto page = Page(pages, 100);
  ASSERT_OK(page);
  EXPECT_LT(page->ByteSizeLong(), 4000u);
  EXPECT_NE(page->next_page_token(), "");
}

TEST_F(PendingPagesTest, WhatIsKeptIsBounded) {
  for (int i = 0; i < 10; ++i) Add("widgets", "a", StrCat("w-", i));
  PendingPagesOptions options;
  options.max_kept_operands = 15;
  PendingPages pages = Make(options);
  const std::string one = Page(pages, 4)->next_page_token();
  const std::string two = Page(pages, 4)->next_page_token();
  EXPECT_EQ(listings_, 2);
  ASSERT_OK(Page(pages, 4, two));
  EXPECT_EQ(listings_, 2);
  ASSERT_OK(Page(pages, 4, one));
  EXPECT_EQ(listings_, 3) << "the older one had to go";
}

TEST_F(PendingPagesTest, AFailedListingIsNoPage) {
  failure_ = absl::UnavailableError("dead webhook");
  PendingPages pages = Make();
  EXPECT_EQ(Page(pages, 4).status(), failure_);
}

TEST_F(PendingPagesTest, ForeignTokensAreRefused) {
  Add("widgets", "a", "w");
  PendingPages pages = Make();
  PendingToken token;
  token.after = {"widgets.example.com", "a", "v"};
  EXPECT_OK(Page(pages, 4, token.ToString(PageBinding::Of(Request("")))));
  cleanup::v1::ListPendingRequest other = Request("");
  other.set_name("another.v1");
  for (const std::string& text : {token.ToString(PageBinding::Of(other)), std::string("x")}) {
    EXPECT_EQ(kube::FromStatus(Page(pages, 4, text).status()).code, 400) << text;
  }
}

}  // namespace
}  // namespace steward::rpc
