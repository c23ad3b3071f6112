#include "base/tls/expiry.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "base/status/matchers.h"
#include "base/tls/certificate.h"

namespace steward {
namespace {

TEST(ExpiryTest, IsTheLeafs) {
  CertificateSpec spec;
  spec.common_name = "leaf";
  spec.server_auth = true;
  spec.not_before = absl::FromUnixSeconds(1'700'000'000);
  // Times after 2049 have another encoding (GeneralizedTime).
  for (const int64_t seconds : {1'800'000'000L, 2'900'000'000L}) {
    spec.not_after = absl::FromUnixSeconds(seconds);
    ASSERT_OK_AND_ASSIGN(const PemKeyPair pair, IssueCertificate(spec));
    ASSERT_OK_AND_ASSIGN(const SslContext context, MakeServerContext(pair, {}));
    EXPECT_EQ(ExpiryOf(context), spec.not_after);
  }
}

TEST(ExpiryTest, OfNothing) {
  EXPECT_EQ(ExpiryOf(SslContext()), absl::InfinitePast());
  EXPECT_EQ(ExpiryOf(static_cast<const X509*>(nullptr)), absl::InfinitePast());
}

TEST(ValidityTest, OfPem) {
  CertificateSpec spec;
  spec.common_name = "leaf";
  spec.not_before = absl::FromUnixSeconds(1'700'000'000);
  spec.not_after = absl::FromUnixSeconds(1'800'000'000);
  ASSERT_OK_AND_ASSIGN(const PemKeyPair pair, IssueCertificate(spec));
  ASSERT_OK_AND_ASSIGN(const Validity validity, ValidityOfPem(pair.cert_pem));
  EXPECT_EQ(validity.begin, spec.not_before);
  EXPECT_EQ(validity.end, spec.not_after);
  EXPECT_FALSE(ValidityOfPem("nonsense").ok());
}

}  // namespace
}  // namespace steward
