#include "cmd/steward/metrics_certificate.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/tls/files.h"
#include "base/tls/testing.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

std::string NameIn(const SslContext& context) {
  char name[64] = "";
  X509* certificate = SSL_CTX_get0_certificate(context.get());
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  return name;
}

class MetricsCertificateTest : public ::testing::Test {
 protected:
  MetricsCertificateTest() {
    const std::string folder = ::testing::TempDir() + "/" +
                               ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    files_ = {folder + "/tls.crt", folder + "/tls.key"};
  }

  void Put(const std::string& name) {
    TestCertOptions options;
    options.common_name = name;
    const TestKeyPair pair = ca_.Issue(options);
    ASSERT_OK(ReplaceFile(files_.cert_file, pair.cert_pem, 0644));
    ASSERT_OK(ReplaceFile(files_.key_file, pair.key_pem, 0600));
  }

  FakeClock clock_{absl::Now()};
  const TestCa ca_{"ca"};
  CertificateFiles files_;
};

TEST_F(MetricsCertificateTest, WithoutFilesItIsMadeInMemoryAndRenewed) {
  ASSERT_OK_AND_ASSIGN(const auto certificate, MetricsCertificate::Create({}, clock_));
  const SslContext first = certificate->context();
  EXPECT_EQ(NameIn(first), "steward-metrics");
  certificate->Refresh();
  EXPECT_EQ(certificate->context(), first);
  clock_.Advance(absl::Hours(24 * 334));
  certificate->Refresh();
  EXPECT_EQ(certificate->context(), first);
  clock_.Advance(absl::Hours(24 * 2));
  certificate->Refresh();
  EXPECT_NE(certificate->context(), first);
}

TEST_F(MetricsCertificateTest, FilesAreTakenOverWhenTheyCome) {
  ASSERT_OK_AND_ASSIGN(const auto certificate, MetricsCertificate::Create(files_, clock_));
  EXPECT_EQ(NameIn(certificate->context()), "steward-metrics");
  Put("given");
  certificate->Refresh();
  EXPECT_EQ(NameIn(certificate->context()), "given");
  Put("later");
  certificate->Refresh();
  EXPECT_EQ(NameIn(certificate->context()), "later");
}

TEST_F(MetricsCertificateTest, FilesThatCannotBeUsed) {
  ASSERT_OK(ReplaceFile(files_.cert_file, "nonsense", 0644));
  ASSERT_OK(ReplaceFile(files_.key_file, "nonsense", 0600));
  EXPECT_THAT(MetricsCertificate::Create(files_, clock_),
              StatusIs(absl::StatusCode::kInvalidArgument));
  // Files that are missing at the start may appear later.
  std::filesystem::remove(files_.key_file);
  ASSERT_OK_AND_ASSIGN(const auto certificate, MetricsCertificate::Create(files_, clock_));
  ASSERT_OK(ReplaceFile(files_.key_file, "nonsense", 0600));
  certificate->Refresh();
  EXPECT_EQ(NameIn(certificate->context()), "steward-metrics");
  Put("given");
  certificate->Refresh();
  EXPECT_EQ(NameIn(certificate->context()), "given");
}

}  // namespace
}  // namespace steward
