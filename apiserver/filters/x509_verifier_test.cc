#include "apiserver/filters/x509_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "apiserver/filters/testing/requests.h"
#include "base/status/matchers.h"
#include "base/tls/certificate.h"
#include "base/tls/testing.h"

namespace steward::filters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestCertOptions Alice() {
  TestCertOptions options;
  options.common_name = "alice";
  options.organizations = {"dev", "ops"};
  return options;
}

class X509VerifierTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::shared_ptr<const CertificateIdentity>> Verify(
      const std::string& ca_pem, const std::vector<std::string>& chain,
      absl::Time at = absl::Now()) {
    auto verifier = X509Verifier::Create(ca_pem);
    if (!verifier.ok()) return verifier.status();
    auto peer = MakePeer(chain);
    auto first = (*verifier)->Verify(*peer, at);
    // The second answer may come from the cache and must be the same.
    auto second = (*verifier)->Verify(*peer, at);
    EXPECT_EQ(first.status(), second.status());
    return first;
  }

  const TestCa ca_{"ca"};
  const TestCa other_ca_{"other"};
  const absl::Time now_ = absl::Now();
};

TEST_F(X509VerifierTest, Identity) {
  ASSERT_OK_AND_ASSIGN(const auto identity, Verify(ca_.cert_pem(), {ca_.Issue(Alice()).cert_pem}));
  EXPECT_EQ(identity->common_name, "alice");
  EXPECT_THAT(identity->organizations, ElementsAre("dev", "ops"));
  EXPECT_EQ(identity->sha256.size(), 64u);
}

TEST_F(X509VerifierTest, BadCertificates) {
  TestCertOptions no_client_auth = Alice();
  no_client_auth.client_auth = false;
  TestCertOptions expired = Alice();
  expired.not_after = now_ - absl::Minutes(1);
  TestCertOptions future = Alice();
  future.not_before = now_ + absl::Minutes(10);
  struct Row {
    std::string name;
    std::string pem;
    std::string why;
  };
  const Row rows[] = {
      {"other CA", other_ca_.Issue(Alice()).cert_pem, "issuer"},
      {"same name, other key", TestCa("ca").Issue(Alice()).cert_pem, "does not verify"},
      {"self-signed", SelfSignedForTest().cert_pem, "self"},
      {"server only", ca_.Issue(no_client_auth).cert_pem, "not for client authentication"},
      {"expired", ca_.Issue(expired).cert_pem, "expired"},
      {"not yet valid", ca_.Issue(future).cert_pem, "not yet valid"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(Verify(ca_.cert_pem(), {row.pem}),
                StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr(row.why)));
  }
}

// Go, and so Kubernetes, takes an absent extension for "any use" (RFC 5280 4.2.1.12).
TEST_F(X509VerifierTest, AbsentKeyUsageIsAnyUse) {
  TestCertOptions options = Alice();
  options.client_auth = false;
  options.server_auth = false;
  EXPECT_OK(Verify(ca_.cert_pem(), {ca_.Issue(options).cert_pem}));
}

TEST_F(X509VerifierTest, ValidityIsJudgedEachTime) {
  TestCertOptions options = Alice();
  options.not_before = now_;
  options.not_after = now_ + absl::Hours(1);
  ASSERT_OK_AND_ASSIGN(const auto verifier, X509Verifier::Create(ca_.cert_pem()));
  const auto peer = MakePeer({ca_.Issue(options).cert_pem});
  EXPECT_OK(verifier->Verify(*peer, now_ + absl::Minutes(30)));
  EXPECT_THAT(verifier->Verify(*peer, now_ + absl::Minutes(61)),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("expired")));
  EXPECT_THAT(verifier->Verify(*peer, now_ - absl::Minutes(1)),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("not yet valid")));
  EXPECT_OK(verifier->Verify(*peer, now_ + absl::Minutes(31)));
}

TEST_F(X509VerifierTest, Chains) {
  const TestCa intermediate = ca_.IssueCa("intermediate");
  const std::string leaf = intermediate.Issue(Alice()).cert_pem;
  EXPECT_OK(Verify(ca_.cert_pem(), {leaf, intermediate.cert_pem()}));
  // An intermediate in the bundle is a trust anchor by itself.
  EXPECT_OK(Verify(intermediate.cert_pem(), {leaf}));
  EXPECT_THAT(Verify(ca_.cert_pem(), {leaf}), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(Verify(other_ca_.cert_pem(), {leaf, intermediate.cert_pem(), ca_.cert_pem()}),
              StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST_F(X509VerifierTest, LeafCannotIssue) {
  CertificateSpec spec;
  spec.common_name = "mallory";
  spec.client_auth = true;
  spec.not_before = now_ - absl::Hours(1);
  spec.not_after = now_ + absl::Hours(1);
  const TestKeyPair alice = ca_.Issue(Alice());
  const PemKeyPair issuer{alice.cert_pem, alice.key_pem};
  ASSERT_OK_AND_ASSIGN(const PemKeyPair forged, IssueCertificate(spec, &issuer));
  EXPECT_THAT(Verify(ca_.cert_pem(), {forged.cert_pem, alice.cert_pem}),
              StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST_F(X509VerifierTest, Bundles) {
  const std::string bundle =
      "# first\n" + ca_.cert_pem() + "\n# second\n" + other_ca_.cert_pem() + ca_.cert_pem();
  EXPECT_OK(Verify(bundle, {ca_.Issue(Alice()).cert_pem}));
  EXPECT_OK(Verify(bundle, {other_ca_.Issue(Alice()).cert_pem}));
}

TEST_F(X509VerifierTest, BadBundles) {
  std::string damaged = other_ca_.cert_pem();
  damaged.replace(damaged.size() / 2, 4, "????");
  for (const std::string& pem :
       {std::string(), std::string("no PEM"), ca_.key_pem(), damaged, ca_.cert_pem() + damaged}) {
    EXPECT_THAT(X509Verifier::Create(pem), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_F(X509VerifierTest, GarbageFromTheClient) {
  ASSERT_OK_AND_ASSIGN(const auto verifier, X509Verifier::Create(ca_.cert_pem()));
  const auto good = MakePeer({ca_.Issue(Alice()).cert_pem});
  http::PeerCertificates trailing = *good;
  trailing.der[0] += "x";
  http::PeerCertificates cut = *good;
  cut.der[0].resize(cut.der[0].size() / 2);
  http::PeerCertificates bad_chain = *good;
  bad_chain.der.push_back("not DER");
  for (const auto& peer :
       {http::PeerCertificates{}, http::PeerCertificates{{""}}, trailing, cut, bad_chain}) {
    EXPECT_THAT(verifier->Verify(peer, now_), StatusIs(absl::StatusCode::kUnauthenticated));
  }
}

}  // namespace
}  // namespace steward::filters
