#include "controllers/rpc/copied_csv/change_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status/matchers.h"
#include "controllers/rpc/bridge/page_token.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {
namespace {

PageBinding BindingOf(copiedcsv::v1::Choice choice, int page_size = 0) {
  copiedcsv::v1::PreviewRequest request;
  request.set_choice(choice);
  request.set_page_size(page_size);
  return PageBinding::Of(request);
}

TEST(ChangeTokenTest, ComesBackAsItWent) {
  const PageBinding binding = BindingOf(copiedcsv::v1::CHOICE_OFF);
  const std::string text = ChangeToken{{"red", "etcd.v1"}}.ToString(binding);
  ASSERT_OK_AND_ASSIGN(const ChangeToken token,
                       ChangeToken::Parse(text, BindingOf(copiedcsv::v1::CHOICE_OFF, 7)));
  EXPECT_EQ(token.after, (kube::NamespacedName{"red", "etcd.v1"}));
}

TEST(ChangeTokenTest, WhatNoPageEndedWithIsRefused) {
  const PageBinding off = BindingOf(copiedcsv::v1::CHOICE_OFF);
  const std::string good = ChangeToken{{"red", "etcd.v1"}}.ToString(off);
  const std::string rows[] = {
      "",
      "x",
      good + "=",
      good.substr(0, good.size() - 1),
      ChangeToken{{"red", "etcd.v1"}}.ToString(BindingOf(copiedcsv::v1::CHOICE_ON)),
      ChangeToken{{"", "etcd.v1"}}.ToString(off),
      ChangeToken{{"red", ""}}.ToString(off),
      ChangeToken{{"No Namespace", "etcd.v1"}}.ToString(off),
      WritePageToken(off, "l3", {"red", "etcd.v1"}),
      WritePageToken(off, "c1", {"red", "etcd.v1", "more"}),
  };
  for (const std::string& row : rows) {
    SCOPED_TRACE(row);
    const auto token = ChangeToken::Parse(row, off);
    ASSERT_FALSE(token.ok());
    EXPECT_EQ(kube::FromStatus(token.status()).code, 400);
  }
}

}  // namespace
}  // namespace steward::rpc
