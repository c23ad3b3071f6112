#include "apiserver/filters/authentication/x509_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "apiserver/filters/testing/requests.h"
#include "base/status/matchers.h"
#include "base/tls/certificate.h"
#include "base/tls/openssl_ptr.h"
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

// A certificate with exactly these extensions, in the notation of openssl.cnf; without extensions,
// it is of X.509 version 1.
struct Made {
  X509Ptr certificate;
  EvpPkeyPtr key;
  std::string pem;
};
using Extensions = std::vector<std::pair<int, std::string>>;

Made Make(const char* name, const Extensions& extensions, const Made* issuer = nullptr) {
  Made made{X509Ptr(X509_new()), EvpPkeyPtr(EVP_EC_gen("P-256")), ""};
  X509* const certificate = made.certificate.get();
  const Made& signer = issuer != nullptr ? *issuer : made;
  EXPECT_EQ(X509_set_version(certificate, extensions.empty() ? X509_VERSION_1 : X509_VERSION_3), 1);
  static int serial = 0;
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get()));
  X509_set_pubkey(certificate, made.key.get());
  for (const auto& [nid, value] : extensions) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, signer.certificate.get(), certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    EXPECT_EQ(X509_add_ext(certificate, extension, -1), 1) << value;
    X509_EXTENSION_free(extension);
  }
  EXPECT_GT(X509_sign(certificate, signer.key.get(), EVP_sha256()), 0);
  const BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), certificate);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  made.pem.assign(text, static_cast<size_t>(size));
  return made;
}

// The result of X509_V_FLAG_X509_STRICT for the same chain.
bool StrictlyGood(const Made& root, const Made& leaf) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, root.certificate.get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.certificate.get(), nullptr);
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
  const bool good = X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return good;
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

// Go, and so Kubernetes, treats an absent extension as "any use" (RFC 5280 4.2.1.12).
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

const Extensions kClient = {{NID_key_usage, "critical,digitalSignature"},
                            {NID_ext_key_usage, "clientAuth"},
                            {NID_basic_constraints, "critical,CA:FALSE"},
                            {NID_authority_key_identifier, "keyid"}};
// The extensions lack the issuer's key identifier, as in Go's certificates if the issuer has none.
const Extensions kClientOfOldCa = {{NID_ext_key_usage, "clientAuth"}};

// Clusters have such CAs, and Go, hence the kube-apiserver, accepts their certificates; strict RFC
// 5280 does not.
TEST_F(X509VerifierTest, TakesTheCasThatClustersHave) {
  const struct {
    std::string name;
    Extensions ca;
    Extensions client;
    bool strictly_good;
  } rows[] = {
      {"kubeadm",
       {{NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign"},
        {NID_basic_constraints, "critical,CA:TRUE"},
        {NID_subject_key_identifier, "hash"}},
       kClient,
       true},
      {"kubeadm, made by a Go of before 2020",
       {{NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign"},
        {NID_basic_constraints, "critical,CA:TRUE"}},
       kClientOfOldCa,
       false},
      {"openssl req -x509",
       {{NID_subject_key_identifier, "hash"}, {NID_basic_constraints, "critical,CA:TRUE"}},
       kClient,
       false},
      {"basic constraints that are not critical",
       {{NID_key_usage, "keyCertSign"},
        {NID_basic_constraints, "CA:TRUE"},
        {NID_subject_key_identifier, "hash"}},
       kClient,
       false},
      {"a root of version 1", {}, kClientOfOldCa, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Made ca = Make("ca", row.ca);
    const Made client = Make("alice", row.client, &ca);
    EXPECT_OK(Verify(ca.pem, {client.pem}));
    EXPECT_EQ(StrictlyGood(ca, client), row.strictly_good);
  }
}

// OpenSSL accepts these issuers as CAs unless it is strict; Go never does.
TEST_F(X509VerifierTest, OnlyCasIssue) {
  const Extensions root = {{NID_key_usage, "critical,keyCertSign"},
                           {NID_basic_constraints, "critical,CA:TRUE"},
                           {NID_subject_key_identifier, "hash"}};
  const struct {
    std::string name;
    Extensions issuer;
  } rows[] = {
      {"key usage alone", {{NID_key_usage, "critical,keyCertSign"}}},
      {"a Netscape extension", {{NID_netscape_cert_type, "sslCA,emailCA,objCA"}}},
      {"no extensions", {}},
  };
  const Made ca = Make("ca", root);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Made issuer = Make("mallory", row.issuer, &ca);
    const Made client = Make("root", kClientOfOldCa, &issuer);
    EXPECT_THAT(Verify(ca.pem, {client.pem, issuer.pem}),
                StatusIs(absl::StatusCode::kUnauthenticated));
    if (row.issuer.empty()) continue;
    EXPECT_THAT(Verify(issuer.pem, {client.pem}), StatusIs(absl::StatusCode::kUnauthenticated))
        << "as a root";
  }
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

TEST_F(X509VerifierTest, LongChainsAreNotEvenRead) {
  ASSERT_OK_AND_ASSIGN(const auto verifier, X509Verifier::Create(ca_.cert_pem()));
  const std::string leaf = MakePeer({ca_.Issue(Alice()).cert_pem})->der[0];
  std::vector<std::string> chain(11, MakePeer({other_ca_.cert_pem()})->der[0]);
  chain[0] = leaf;
  EXPECT_OK(verifier->Verify(http::PeerCertificates(chain), now_));
  chain.emplace_back("not DER");
  EXPECT_THAT(verifier->Verify(http::PeerCertificates(chain), now_),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("more than 11")));
}

// A repeated failure costs only a look-up, but is kept for a limited time, since a clock may be
// slightly wrong.
TEST_F(X509VerifierTest, AFailureIsRememberedForAMinute) {
  TestCertOptions options = Alice();
  options.not_before = now_ + absl::Seconds(10);
  options.not_after = now_ + absl::Hours(1);
  ASSERT_OK_AND_ASSIGN(const auto verifier, X509Verifier::Create(ca_.cert_pem()));
  const auto peer = MakePeer({ca_.Issue(options).cert_pem});
  const auto not_yet = StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("not yet valid"));
  EXPECT_THAT(verifier->Verify(*peer, now_), not_yet);
  EXPECT_THAT(verifier->Verify(*peer, now_ + absl::Seconds(59)), not_yet);
  EXPECT_OK(verifier->Verify(*peer, now_ + absl::Seconds(60)));
  // After the clock was set back no kept result applies, but good ones are not lost.
  EXPECT_THAT(verifier->Verify(*peer, now_ - absl::Hours(2)), not_yet);
  EXPECT_OK(verifier->Verify(*peer, now_ + absl::Seconds(20)));
  // Other certificates have not failed.
  options.not_before = now_ - absl::Hours(1);
  EXPECT_OK(verifier->Verify(*MakePeer({ca_.Issue(options).cert_pem}), now_));
}

// After so many failures the cache is dropped.
TEST_F(X509VerifierTest, FailuresThatAreRememberedAreBounded) {
  TestCertOptions options = Alice();
  options.not_before = now_ + absl::Seconds(10);
  options.not_after = now_ + absl::Hours(1);
  ASSERT_OK_AND_ASSIGN(const auto verifier, X509Verifier::Create(ca_.cert_pem()));
  const auto peer = MakePeer({ca_.Issue(options).cert_pem});
  EXPECT_FALSE(verifier->Verify(*peer, now_).ok());
  for (int i = 0; i < 1024; ++i) {
    const http::PeerCertificates garbage({std::to_string(i)});
    EXPECT_FALSE(verifier->Verify(garbage, now_).ok());
  }
  EXPECT_OK(verifier->Verify(*peer, now_ + absl::Seconds(20)));
}

TEST_F(X509VerifierTest, GarbageFromTheClient) {
  ASSERT_OK_AND_ASSIGN(const auto verifier, X509Verifier::Create(ca_.cert_pem()));
  const auto good = MakePeer({ca_.Issue(Alice()).cert_pem});
  const std::string& leaf = good->der[0];
  const std::vector<std::vector<std::string>> rows = {
      {}, {""}, {leaf + "x"}, {leaf.substr(0, leaf.size() / 2)}, {leaf, "not DER"}};
  for (const std::vector<std::string>& chain : rows) {
    const http::PeerCertificates peer(chain);
    EXPECT_THAT(verifier->Verify(peer, now_), StatusIs(absl::StatusCode::kUnauthenticated));
  }
}

}  // namespace
}  // namespace steward::filters
