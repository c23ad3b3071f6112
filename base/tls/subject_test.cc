#include "base/tls/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status/matchers.h"
#include "base/tls/testing.h"

namespace steward {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SubjectTest, NamesAndGroups) {
  const TestCa ca("authority");
  TestCertOptions options;
  options.common_name = "j\xc3\xbcrgen";
  options.organizations = {"dev", "ops"};
  const auto subject = SubjectOfPem(ca.Issue(options).cert_pem);
  ASSERT_OK(subject);
  EXPECT_EQ(subject->common_name, "j\xc3\xbcrgen");
  EXPECT_THAT(subject->organizations, ElementsAre("dev", "ops"));
}

TEST(SubjectTest, OfAChainTheFirst) {
  const TestCa ca("authority");
  TestCertOptions options;
  options.common_name = "leaf";
  const auto subject = SubjectOfPem(ca.Issue(options).cert_pem + ca.cert_pem());
  ASSERT_OK(subject);
  EXPECT_EQ(subject->common_name, "leaf");
  EXPECT_THAT(subject->organizations, IsEmpty());
}

TEST(SubjectTest, WhatIsNoCertificate) {
  EXPECT_THAT(SubjectOfPem(""), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(SubjectOfPem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace steward
