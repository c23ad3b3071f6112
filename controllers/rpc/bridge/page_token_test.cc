#include "controllers/rpc/bridge/page_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status/matchers.h"
#include "controllers/rpc/testing/sample.pb.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

using ::testing::ElementsAre;

sample::v1::ListRequest Request(const std::string& ns) {
  sample::v1::ListRequest request;
  request.set_namespace_(ns);
  return request;
}

int CodeOf(const std::string& token, const PageBinding& binding, size_t count = 2) {
  return kube::FromStatus(ReadPageToken(token, binding, "s1", count).status()).code;
}

TEST(PageTokenTest, SaysAgainWhatItSaid) {
  const PageBinding binding = PageBinding::Of(Request("ops"));
  const std::string token = WritePageToken(binding, "s1", {"a", ""});
  const auto parts = ReadPageToken(token, binding, "s1", 2);
  ASSERT_OK(parts);
  EXPECT_THAT(*parts, ElementsAre("a", ""));
}

TEST(PageTokenTest, OfAnotherRequestItIsRefused) {
  const PageBinding binding = PageBinding::Of(Request("ops"));
  const std::string token = WritePageToken(binding, "s1", {"a", "b"});
  sample::v1::ListRequest filtered = Request("ops");
  filtered.set_filter("some");
  sample::v1::GetRequest other;
  other.set_namespace_("ops");
  EXPECT_EQ(CodeOf(token, PageBinding::Of(Request("b"))), 400);
  EXPECT_EQ(CodeOf(token, PageBinding::Of(filtered)), 400) << "whichever field it is";
  EXPECT_EQ(CodeOf(token, PageBinding::Of(other)), 400) << "another method with the same fields";
}

TEST(PageTokenTest, TheNextPageIsOfTheSameRequest) {
  sample::v1::ListRequest next = Request("ops");
  next.set_page_size(7);
  next.set_page_token("token");
  next.mutable_on_behalf_of()->set_user("alice");
  EXPECT_EQ(PageBinding::Of(next).digest(), PageBinding::Of(Request("ops")).digest());
}

TEST(PageTokenTest, WhatIsNoneIsRefused) {
  const PageBinding binding = PageBinding::Of(Request("ops"));
  for (const std::string& token :
       {std::string(), std::string("!!"), std::string(10'000, 'A'),
        WritePageToken(binding, "s2", {"a", "b"}), WritePageToken(binding, "s1", {"a"}),
        WritePageToken(binding, "s1", {"a", "b", "c"})}) {
    EXPECT_EQ(CodeOf(token, binding), 400) << token;
  }
}

}  // namespace
}  // namespace steward::rpc
