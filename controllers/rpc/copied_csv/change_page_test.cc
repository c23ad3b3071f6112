#include "controllers/rpc/copied_csv/change_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task.h"
#include "base/status/macros.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "olm/copy/comparison.h"
#include "olm/objects.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {
namespace {

using olm::SlotFinding;
using testing::ElementsAre;
using testing::IsEmpty;

class ChangePageTest : public testing::Test {
 protected:
  // Puts a slot of the operator etcd.v1, installed in ops, into each of these namespaces.
  void Put(const std::vector<std::string>& namespaces, SlotFinding finding) {
    auto difference = std::make_shared<controllers::CopiesDifference>();
    for (const std::string& name : namespaces) {
      auto ns = std::make_shared<olm::Namespace>();
      ns->name = name;
      difference->changes.push_back({ns.get(), &name_, &source_, finding});
      namespaces_.push_back(std::move(ns));
    }
    difference_ = std::move(difference);
  }
  absl::StatusOr<copiedcsv::v1::PreviewResponse> Page(const std::string& token = "", int size = 0,
                                                      size_t max_reviews = 100) {
    copiedcsv::v1::PreviewRequest request;
    request.set_choice(copiedcsv::v1::CHOICE_OFF);
    request.set_page_size(size);
    request.set_page_token(token);
    const MayList may_list = [this](kube::GroupVersionResource gvr, std::string ns) {
      EXPECT_EQ(gvr.GroupResource(), "clusterserviceversions.operators.coreos.com");
      return Answer(std::move(ns));
    };
    boost::asio::io_context io(1);
    ASSIGN_OR_RETURN(const ShownChanges shown,
                     RunOn(io, ChangePage(difference_, std::move(request), may_list, max_reviews)));
    EXPECT_EQ(shown.changes.size(), static_cast<size_t>(shown.page.changes_size()));
    return shown.page;
  }
  Task<bool> Answer(std::string ns) {
    ++asked_;
    co_return allowed_.contains(ns);
  }
  // Returns texts like "red", or "red!" if the requester would lose sight of the operator.
  static std::vector<std::string> TextsOf(const copiedcsv::v1::PreviewResponse& page) {
    std::vector<std::string> texts;
    for (const copiedcsv::v1::Change& change : page.changes()) {
      texts.push_back(StrCat(change.namespace_(), change.requester_loses_sight() ? "!" : ""));
    }
    return texts;
  }

  const std::string name_ = "etcd.v1";
  const std::string source_ = "ops";
  std::vector<olm::NamespacePtr> namespaces_;
  controllers::CopiesDifferencePtr difference_;
  std::set<std::string> allowed_ = {""};
  int asked_ = 0;
};

TEST_F(ChangePageTest, PagesOfOneWalkShowEachChangeOnce) {
  Put({"a", "b", "c", "d", "e"}, SlotFinding::kUnwanted);
  std::vector<std::string> seen;
  std::string token;
  int64_t remaining = 5;
  do {
    ASSERT_OK_AND_ASSIGN(const auto page, Page(token, 2));
    for (const std::string& text : TextsOf(page)) seen.push_back(text);
    remaining -= page.changes_size();
    EXPECT_EQ(page.remaining(), remaining);
    EXPECT_EQ(page.hidden(), 0);
    token = page.next_page_token();
  } while (!token.empty());
  EXPECT_THAT(seen, ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(ChangePageTest, AWalkGoesOnWhereItWasWhenChangesComeAndGo) {
  Put({"a", "b", "c"}, SlotFinding::kUnwanted);
  ASSERT_OK_AND_ASSIGN(const auto first, Page("", 2));
  Put({"a", "aa", "bb", "c"}, SlotFinding::kUnwanted);
  ASSERT_OK_AND_ASSIGN(const auto second, Page(first.next_page_token(), 2));
  EXPECT_THAT(TextsOf(second), ElementsAre("bb", "c"));
}

TEST_F(ChangePageTest, ATenantSeesTheCopiesOfItsNamespaceAlone) {
  Put({"a", "b", "c"}, SlotFinding::kUnwanted);
  allowed_ = {"b"};
  ASSERT_OK_AND_ASSIGN(const auto page, Page());
  EXPECT_THAT(TextsOf(page), ElementsAre("b!"));
  EXPECT_EQ(page.hidden(), 2);
  EXPECT_EQ(page.changes(0).operator_namespace(), "ops") << "the copy's label says so";
  allowed_ = {"b", "ops"};
  ASSERT_OK_AND_ASSIGN(const auto more, Page());
  EXPECT_THAT(TextsOf(more), ElementsAre("b")) << "it sees the original";
}

TEST_F(ChangePageTest, WhatIsNotThereYetIsShownToWhoSeesItsOriginal) {
  Put({"a", "b"}, SlotFinding::kMissing);
  allowed_ = {"b"};
  ASSERT_OK_AND_ASSIGN(const auto page, Page());
  EXPECT_THAT(TextsOf(page), IsEmpty());
  EXPECT_EQ(page.hidden(), 2);
  allowed_ = {"b", "ops"};
  ASSERT_OK_AND_ASSIGN(const auto more, Page());
  EXPECT_THAT(TextsOf(more), ElementsAre("b"));
}

TEST_F(ChangePageTest, APageEndsWhenItTakesTooManyReviews) {
  Put({"a", "b", "c", "d"}, SlotFinding::kUnwanted);
  allowed_ = {"d"};
  ASSERT_OK_AND_ASSIGN(const auto first, Page("", 0, 2));
  EXPECT_THAT(TextsOf(first), IsEmpty());
  EXPECT_EQ(first.hidden(), 2);
  EXPECT_EQ(first.remaining(), 2);
  ASSERT_OK_AND_ASSIGN(const auto second, Page(first.next_page_token(), 0, 2));
  EXPECT_THAT(TextsOf(second), ElementsAre("d!"));
  EXPECT_EQ(second.next_page_token(), "");
}

TEST_F(ChangePageTest, WhoSeesTheWholeClusterCostsOneReview) {
  Put({"a", "b", "c", "d"}, SlotFinding::kUnwanted);
  ASSERT_OK(Page());
  EXPECT_EQ(asked_, 1);
}

TEST_F(ChangePageTest, ForgedTokensAreRefused) {
  Put({"a"}, SlotFinding::kUnwanted);
  EXPECT_EQ(kube::FromStatus(Page("forged").status()).code, 400);
}

}  // namespace
}  // namespace steward::rpc
