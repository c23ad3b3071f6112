#include "apiserver/filters/authentication/token_expiry.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"

namespace steward::filters {
namespace {

std::string Token(const std::string& claims) {
  return "e30." + absl::WebSafeBase64Escape(claims) + ".c2ln";
}

TEST(TokenExpiryTest, TheClaimOfAJsonWebToken) {
  EXPECT_EQ(TokenExpiry(Token(R"({"iat":1,"exp":1700000000,"sub":"u"})")),
            absl::FromUnixSeconds(1'700'000'000));
  EXPECT_EQ(TokenExpiry(Token(R"({"exp":0})")), absl::UnixEpoch());
  for (const std::string& token :
       {std::string(), std::string("opaque"), std::string("a.b"), std::string("a.b.c.d"),
        std::string("e30.!!.c2ln"), Token(""), Token("[]"), Token("{}"), Token(R"({"exp":"1"})"),
        Token(R"({"exp":null})"), Token(R"({"exp":1e300})"), Token(R"({"exp":1)")}) {
    EXPECT_EQ(TokenExpiry(token), std::nullopt) << token;
  }
}

}  // namespace
}  // namespace steward::filters
