#include "base/tls/pem_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/tls/files.h"
#include "base/tls/testing.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

class PemFilesTest : public ::testing::Test {
 protected:
  PemFilesTest() {
    const TestKeyPair pair = ca_.Issue(TestCertOptions());
    files_ = {Write("tls.crt", pair.cert_pem), Write("tls.key", pair.key_pem),
              Write("ca.crt", ca_.cert_pem())};
  }
  static std::string Write(const std::string& name, const std::string& pem) {
    std::string path = ::testing::TempDir() + name;
    EXPECT_OK(ReplaceFile(path, pem, 0600));
    return path;
  }
  static std::string Complaint(const PemFiles& files) {
    return std::string(CheckPemFiles(files).message());
  }

  const TestCa ca_{"a-ca"};
  PemFiles files_;
};

TEST_F(PemFilesTest, FilesThatBelongTogetherWillDo) { EXPECT_OK(CheckPemFiles(files_)); }

TEST_F(PemFilesTest, AnErrorNamesTheFile) {
  PemFiles files = files_;
  files.key_file = Write("other.key", ca_.Issue(TestCertOptions()).key_pem);
  EXPECT_THAT(Complaint(files), HasSubstr("tls.crt"));
  files = files_;
  files.ca_file = Write("empty", "");
  EXPECT_THAT(Complaint(files), HasSubstr("empty"));
}

TEST_F(PemFilesTest, AFileMayComeLater) {
  for (std::string PemFiles::*file :
       {&PemFiles::cert_file, &PemFiles::key_file, &PemFiles::ca_file}) {
    PemFiles files = files_;
    files.*file = "/nowhere/file.pem";
    EXPECT_TRUE(absl::IsNotFound(CheckPemFiles(files)));
    EXPECT_THAT(Complaint(files), HasSubstr("/nowhere/file.pem"));
  }
}

}  // namespace
}  // namespace steward
