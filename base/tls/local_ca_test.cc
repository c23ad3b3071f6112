#include "base/tls/local_ca.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/status/matchers.h"
#include "base/tls/certificate_check.h"
#include "base/tls/files.h"
#include "base/tls/openssl_ptr.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
constexpr absl::Duration kDay = absl::Hours(24);

class LocalCaTest : public ::testing::Test {
 protected:
  LocalCaTest() {
    options_.directory = ::testing::TempDir() + "/" +
                         ::testing::UnitTest::GetInstance()->current_test_info()->name() + "/pki";
    std::filesystem::remove_all(options_.directory);
    options_.bind_address = "127.0.0.1";
    options_.now = kNow;
  }
  LocalCertificates Ensure() {
    auto certificates = EnsureLocalCertificates(options_);
    EXPECT_OK(certificates);
    return certificates.ok() ? *std::move(certificates) : LocalCertificates();
  }
  static unsigned ModeOf(const std::string& path) {
    struct stat info = {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 0777;
  }
  std::string File(const std::string& name) const {
    return ReadSmallFile(options_.directory + "/" + name).value_or("");
  }
  // Checks the pair in the serving files, which ca.crt has issued, against `wanted`.
  absl::Status CheckServing(const LocalCertificates& certificates, CertificateSpec wanted) const {
    wanted.common_name = "steward";
    const PemKeyPair ca = {certificates.ca_pem, File("ca.key")};
    return CheckCertificate({File("serving.crt"), File("serving.key")}, wanted, &ca, options_.now,
                            absl::ZeroDuration());
  }
  LocalCaOptions options_;
};

std::string Subject(const std::string& pem) {
  const X509Ptr cert(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
  char text[256];
  X509_NAME_oneline(X509_get_subject_name(cert.get()), text, sizeof text);
  return text;
}

uint32_t ExtendedUsage(const std::string& pem) {
  const X509Ptr cert(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
  return X509_get_extended_key_usage(cert.get());
}

TEST_F(LocalCaTest, MakesAnAuthorityAndItsTwoCertificates) {
  const LocalCertificates made = Ensure();
  EXPECT_EQ(made.ca_file, options_.directory + "/ca.crt");
  EXPECT_EQ(made.serving.cert_file, options_.directory + "/serving.crt");
  EXPECT_EQ(made.serving.key_file, options_.directory + "/serving.key");
  EXPECT_EQ(File("ca.crt"), made.ca_pem);
  EXPECT_EQ(File("admin.crt"), made.admin.cert_pem);

  CertificateSpec wanted;
  wanted.dns_names = {"localhost"};
  wanted.ip_addresses = {"127.0.0.1", "::1"};
  EXPECT_OK(CheckServing(made, wanted));
  EXPECT_EQ(ExtendedUsage(File("serving.crt")), static_cast<uint32_t>(XKU_SSL_SERVER));

  EXPECT_EQ(Subject(made.admin.cert_pem), "/O=system:masters/CN=steward-admin");
  EXPECT_EQ(ExtendedUsage(made.admin.cert_pem), static_cast<uint32_t>(XKU_SSL_CLIENT));
}

TEST_F(LocalCaTest, KeysAreForTheOwnerAlone) {
  Ensure();
  EXPECT_EQ(ModeOf(options_.directory), 0700u);
  for (const char* name : {"ca.key", "serving.key", "admin.key"}) {
    EXPECT_EQ(ModeOf(options_.directory + "/" + name), 0600u) << name;
  }
}

TEST_F(LocalCaTest, EverythingSurvivesARestart) {
  const LocalCertificates first = Ensure();
  const std::string serving = File("serving.crt");
  options_.now += 300 * kDay;
  const LocalCertificates second = Ensure();
  EXPECT_EQ(second.ca_pem, first.ca_pem);
  EXPECT_EQ(second.admin, first.admin);
  EXPECT_EQ(File("serving.crt"), serving);
}

TEST_F(LocalCaTest, RenewsInTimeUnderTheSameAuthority) {
  const LocalCertificates first = Ensure();
  const std::string serving = File("serving.crt");
  options_.now += 340 * kDay;
  const LocalCertificates second = Ensure();
  EXPECT_EQ(second.ca_pem, first.ca_pem);
  EXPECT_NE(second.admin, first.admin);
  EXPECT_NE(File("serving.crt"), serving);
  EXPECT_OK(CheckServing(second, {}));
}

TEST_F(LocalCaTest, ANewAuthoritySignsEverythingAnew) {
  const LocalCertificates first = Ensure();
  const std::string serving = File("serving.crt");
  options_.now += 9.5 * 365 * kDay;
  const LocalCertificates second = Ensure();
  EXPECT_NE(second.ca_pem, first.ca_pem);
  EXPECT_NE(second.admin, first.admin);
  EXPECT_NE(File("serving.crt"), serving);
  EXPECT_OK(CheckServing(second, {}));
}

TEST_F(LocalCaTest, CoversTheNamesItIsAskedFor) {
  const LocalCertificates first = Ensure();
  options_.bind_address = "192.0.2.7";
  options_.names = {"steward.example.com", "192.0.2.8"};
  CertificateSpec wanted;
  wanted.dns_names = {"localhost", "steward.example.com"};
  wanted.ip_addresses = {"192.0.2.7", "192.0.2.8"};
  EXPECT_FALSE(CheckServing(first, wanted).ok());
  const LocalCertificates second = Ensure();
  EXPECT_OK(CheckServing(second, wanted));
  EXPECT_EQ(second.admin, first.admin);

  options_.bind_address = "0.0.0.0";
  wanted = {};
  AddSubjects({HostName()}, wanted);
  EXPECT_OK(CheckServing(Ensure(), wanted));
}

TEST_F(LocalCaTest, MakesADamagedPairAnew) {
  const LocalCertificates first = Ensure();
  ASSERT_OK(ReplaceFile(options_.directory + "/serving.key", "junk", 0600));
  ASSERT_OK(ReplaceFile(options_.directory + "/admin.crt", "", 0644));
  const LocalCertificates second = Ensure();
  EXPECT_EQ(second.ca_pem, first.ca_pem);
  EXPECT_OK(CheckServing(second, {}));
  EXPECT_EQ(File("admin.crt"), second.admin.cert_pem);
}

TEST_F(LocalCaTest, SaysWhatItCannotRead) {
  Ensure();
  std::filesystem::remove(options_.directory + "/ca.key");
  std::filesystem::create_directory(options_.directory + "/ca.key");
  const auto certificates = EnsureLocalCertificates(options_);
  ASSERT_FALSE(certificates.ok());
  EXPECT_THAT(std::string(certificates.status().message()), HasSubstr("pki/ca.key"));
}

TEST_F(LocalCaTest, OtherClientsAndNoAdministrator) {
  options_.admin = false;
  options_.clients = {"steward-apiserver"};
  const LocalCertificates made = Ensure();
  ASSERT_EQ(made.clients.size(), 1u);
  const CertificateFiles& files = made.clients.at("steward-apiserver");
  EXPECT_EQ(files.cert_file, options_.directory + "/steward-apiserver.crt");
  const std::string pem = File("steward-apiserver.crt");
  EXPECT_EQ(Subject(pem), "/CN=steward-apiserver");
  EXPECT_EQ(ExtendedUsage(pem), static_cast<uint32_t>(XKU_SSL_CLIENT));
  EXPECT_EQ(ModeOf(files.key_file), 0600u);
  EXPECT_FALSE(std::filesystem::exists(options_.directory + "/admin.crt"));
  Ensure();
  EXPECT_EQ(File("steward-apiserver.crt"), pem) << "what is usable is kept";
}

}  // namespace
}  // namespace steward
