#include "base/tls/self_signed.h"

#include <sys/stat.h>

#include "absl/time/clock.h"
#include "base/status/matchers.h"
#include "base/tls/files.h"
#include "base/tls/server_certificate.h"

namespace steward {
namespace {

class SelfSignedTest : public ::testing::Test {
 protected:
  SelfSignedTest() {
    options_.directory = ::testing::TempDir() + "/" +
                         ::testing::UnitTest::GetInstance()->current_test_info()->name() + "/certs";
    options_.bind_address = "0.0.0.0";
    options_.now = absl::Now();
  }
  std::string EnsuredCertificate() {
    auto files = EnsureSelfSigned(options_);
    EXPECT_OK(files);
    if (!files.ok()) return "";
    EXPECT_OK(ServerCertificate::Load(files->cert_file, files->key_file));
    return ReadSmallFile(files->cert_file).value_or("");
  }
  SelfSignedOptions options_;
};

TEST_F(SelfSignedTest, MakesAUsablePairWithAPrivateKey) {
  ASSERT_OK_AND_ASSIGN(CertificateFiles files, EnsureSelfSigned(options_));
  EXPECT_EQ(files.cert_file, options_.directory + "/apiserver.crt");
  EXPECT_OK(ServerCertificate::Load(files.cert_file, files.key_file));
  struct stat info = {};
  ASSERT_EQ(::stat(files.key_file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(SelfSignedTest, KeepsAGoodPair) {
  const std::string first = EnsuredCertificate();
  options_.now += absl::Hours(24 * 300);
  EXPECT_EQ(EnsuredCertificate(), first);
}

TEST_F(SelfSignedTest, ReplacesAPairThatExpiresSoon) {
  const std::string first = EnsuredCertificate();
  options_.now += absl::Hours(24 * 364) + absl::Hours(12);
  EXPECT_NE(EnsuredCertificate(), first);
}

TEST_F(SelfSignedTest, ReplacesAPairWithoutAWantedName) {
  const std::string first = EnsuredCertificate();
  options_.names = {"steward.olm.svc", "10.1.2.3"};
  const std::string second = EnsuredCertificate();
  EXPECT_NE(second, first);
  EXPECT_EQ(EnsuredCertificate(), second);
  options_.bind_address = "10.9.9.9";
  EXPECT_NE(EnsuredCertificate(), second);
}

TEST_F(SelfSignedTest, ReplacesADamagedPair) {
  const std::string first = EnsuredCertificate();
  ASSERT_OK(ReplaceFile(options_.directory + "/apiserver.key", "junk", 0600));
  EXPECT_NE(EnsuredCertificate(), first);
}

TEST_F(SelfSignedTest, SaysWhereItCannotWrite) {
  options_.directory = "/proc/certs";
  EXPECT_FALSE(EnsureSelfSigned(options_).ok());
}

}  // namespace
}  // namespace steward
