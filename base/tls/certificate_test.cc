#include "base/tls/certificate.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "absl/time/clock.h"
#include "base/status/matchers.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/testing.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

X509Ptr Parse(const std::string& pem) {
  return X509Ptr(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
}

// X509_V_OK, or the reason why `leaf` does not verify against `root` for `purpose`.
int Verify(const std::string& leaf, const std::string& root, int purpose) {
  X509Ptr leaf_cert = Parse(leaf);
  X509Ptr root_cert = Parse(root);
  std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), root_cert.get());
  std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf_cert.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

TEST(CertificateTest, LeafVerifiesAgainstItsCaForItsUsagesOnly) {
  const TestCa ca("ca");
  const TestCa other("ca");
  TestCertOptions options;
  options.common_name = "jane";
  options.server_auth = false;
  const TestKeyPair leaf = ca.Issue(options);
  EXPECT_EQ(Verify(leaf.cert_pem, ca.cert_pem(), X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  EXPECT_EQ(Verify(leaf.cert_pem, ca.cert_pem(), X509_PURPOSE_SSL_SERVER),
            X509_V_ERR_INVALID_PURPOSE);
  EXPECT_NE(Verify(leaf.cert_pem, other.cert_pem(), X509_PURPOSE_SSL_CLIENT), X509_V_OK);
}

TEST(CertificateTest, ExpiredLeafDoesNotVerify) {
  const TestCa ca("ca");
  TestCertOptions options;
  options.common_name = "late";
  options.not_before = absl::Now() - absl::Minutes(30);
  options.not_after = absl::Now() - absl::Minutes(1);
  EXPECT_EQ(Verify(ca.Issue(options).cert_pem, ca.cert_pem(), X509_PURPOSE_SSL_CLIENT),
            X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST(CertificateTest, SubjectAndNames) {
  const TestCa ca("ca");
  TestCertOptions options;
  options.common_name = "jane";
  options.organizations = {"dev", "ops"};
  options.dns_names = {"a.example", "*.b.example"};
  options.ip_addresses = {"10.0.0.1", "::1"};
  X509Ptr cert = Parse(ca.Issue(options).cert_pem);
  char subject[256];
  X509_NAME_oneline(X509_get_subject_name(cert.get()), subject, sizeof subject);
  EXPECT_STREQ(subject, "/O=dev/O=ops/CN=jane");
  for (const char* name : {"a.example", "x.b.example"}) {
    EXPECT_EQ(X509_check_host(cert.get(), name, 0, 0, nullptr), 1) << name;
  }
  EXPECT_EQ(X509_check_host(cert.get(), "c.example", 0, 0, nullptr), 0);
  for (const char* address : {"10.0.0.1", "::1"})
    EXPECT_EQ(X509_check_ip_asc(cert.get(), address, 0), 1) << address;
  EXPECT_EQ(X509_check_ip_asc(cert.get(), "10.0.0.2", 0), 0);
}

TEST(CertificateTest, RefusesWhatItCannotExpress) {
  CertificateSpec spec;
  spec.not_before = absl::Now();
  spec.not_after = absl::Now() + absl::Hours(1);
  spec.ip_addresses = {"not an address"};
  EXPECT_THAT(IssueCertificate(spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not an address")));
  spec.ip_addresses.clear();
  spec.common_name = std::string(65, 'x');
  EXPECT_THAT(IssueCertificate(spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("CN=")));
  spec.common_name = "x";
  const PemKeyPair no_issuer{"junk", "junk"};
  EXPECT_THAT(IssueCertificate(spec, &no_issuer), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(SplitCertificatesTest, EachAlone) {
  const TestCa one("one");
  const TestCa two("two");
  EXPECT_EQ(SplitCertificates(""), std::vector<std::string>());
  EXPECT_EQ(SplitCertificates("nonsense"), std::vector<std::string>());
  EXPECT_EQ(SplitCertificates("text\n" + one.cert_pem() + "more\n" + two.cert_pem()),
            (std::vector<std::string>{one.cert_pem(), two.cert_pem()}));
  EXPECT_EQ(SplitCertificates(one.cert_pem() + two.cert_pem().substr(0, 200)),
            std::vector<std::string>{one.cert_pem()})
      << "cut short";
}

}  // namespace
}  // namespace steward
