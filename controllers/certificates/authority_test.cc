#include "controllers/certificates/authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status/matchers.h"
#include "base/tls/certificate.h"

namespace steward::controllers {
namespace {

using ::testing::Key;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const AuthorityTerms kTerms = {absl::Hours(24 * 300), absl::Minutes(10)};
const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

Authority Founded(absl::Time now = kStart) {
  Authority authority;
  EXPECT_OK(authority.Advance(kTerms, now, "", true));
  return authority;
}

TEST(AuthorityTest, IsFounded) {
  const Authority authority = Founded();
  ASSERT_NE(authority.signer(), nullptr);
  EXPECT_TRUE(authority.settled()) << "nobody trusted another one";
  EXPECT_THAT(authority.Write(), UnorderedElementsAre(Key("1.crt"), Key("1.key"), Key("ca.crt")));
  EXPECT_EQ(authority.Bundle(), authority.signer()->pair.cert_pem);
  const Validity validity = authority.signer()->validity;
  EXPECT_EQ(validity.begin, kStart - absl::Hours(1));
  EXPECT_EQ(validity.end, kStart + kTerms.life);
}

TEST(AuthorityTest, IsReadAsItWasWritten) {
  Authority authority = Founded();
  const absl::Time due = kStart + absl::Hours(24 * 201);
  ASSERT_OK(authority.Advance(kTerms, due, "", true));
  ASSERT_THAT(authority.roots(), SizeIs(2));
  ASSERT_OK_AND_ASSIGN(Authority read, Authority::Read(authority.Write()));
  EXPECT_EQ(read.Write(), authority.Write());
  EXPECT_EQ(read.roots(), authority.roots());
}

TEST(AuthorityTest, ARootIsTrustedBeforeItSigns) {
  Authority authority = Founded();
  const std::string first = authority.signer()->pair.cert_pem;
  ASSERT_OK(authority.Advance(kTerms, kStart + absl::Hours(24 * 199), "", true));
  EXPECT_THAT(authority.roots(), SizeIs(1)) << "two thirds are not over";
  const absl::Time due = kStart + absl::Hours(24 * 201);
  ASSERT_OK(authority.Advance(kTerms, due, "", false));
  ASSERT_THAT(authority.roots(), SizeIs(2));
  EXPECT_EQ(authority.signer()->pair.cert_pem, first);
  EXPECT_TRUE(authority.IsIn(authority.Bundle()));
  EXPECT_FALSE(authority.IsIn(first));
  ASSERT_OK(authority.Advance(kTerms, due + absl::Minutes(9), "", true));
  EXPECT_EQ(authority.signer()->pair.cert_pem, first) << "too young";
  ASSERT_OK(authority.Advance(kTerms, due + absl::Minutes(11), "", false));
  EXPECT_EQ(authority.signer()->pair.cert_pem, first) << "somebody was not told";
  ASSERT_OK(authority.Advance(kTerms, due + absl::Minutes(11), "", true));
  EXPECT_NE(authority.signer()->pair.cert_pem, first);
  EXPECT_THAT(authority.Write(),
              UnorderedElementsAre(Key("1.crt"), Key("2.crt"), Key("2.key"), Key("ca.crt")))
      << "the old key is of no more use";
  // The old root is trusted to its end.
  ASSERT_OK(authority.Advance(kTerms, kStart + kTerms.life - absl::Hours(1), "", true));
  EXPECT_THAT(authority.roots(), SizeIs(2));
  ASSERT_OK(authority.Advance(kTerms, kStart + kTerms.life, "", true));
  EXPECT_THAT(authority.Write(), UnorderedElementsAre(Key("2.crt"), Key("2.key"), Key("ca.crt")));
}

TEST(AuthorityTest, AnEndedSignerWaitsForNobody) {
  Authority authority = Founded();
  const absl::Time later = kStart + absl::Hours(24 * 3000);
  ASSERT_OK(authority.Advance(kTerms, later, "", false));
  ASSERT_THAT(authority.roots(), SizeIs(1));
  EXPECT_EQ(authority.signer()->validity.end, later + kTerms.life);
}

TEST(AuthorityTest, WhatWasTrustedStaysSo) {
  const Authority lost = Founded();
  Authority authority;
  ASSERT_OK(authority.Advance(kTerms, kStart + absl::Hours(1), lost.Bundle(), true));
  EXPECT_THAT(authority.roots(), SizeIs(2));
  EXPECT_TRUE(lost.IsIn(authority.Bundle()));
  EXPECT_FALSE(authority.settled()) << "what the lost key signed is good for a while";
  EXPECT_FALSE(authority.signer()->pair.key_pem.empty());
  ASSERT_OK(authority.Advance(kTerms, kStart + absl::Hours(2), "", true));
  EXPECT_TRUE(authority.settled());
}

TEST(AuthorityTest, DamageIsToldAndNotMended) {
  auto data = Founded().Write();
  const auto other = Founded().Write();
  struct Row {
    const char* what;
    std::string key;
    std::string text;
  };
  for (const Row& row :
       {Row{"no certificate", "1.crt", "nonsense"}, Row{"no key", "1.key", "nonsense"},
        Row{"another's key", "1.key", other.at("1.key")},
        Row{"a gap", "3.crt", other.at("1.crt")}}) {
    auto damaged = data;
    damaged[row.key] = row.text;
    EXPECT_THAT(Authority::Read(damaged), StatusIs(absl::StatusCode::kDataLoss)) << row.what;
  }
  data["other"] = "is not looked at";
  EXPECT_OK(Authority::Read(data));
  ASSERT_OK_AND_ASSIGN(const Authority none, Authority::Read({}));
  EXPECT_EQ(none.signer(), nullptr);
}

}  // namespace
}  // namespace steward::controllers
