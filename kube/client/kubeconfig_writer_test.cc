#include "kube/client/kubeconfig_writer.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/tls/files.h"
#include "kube/client/config.h"
#include "kube/client/kubeconfig.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;

class KubeconfigWriterTest : public ::testing::Test {
 protected:
  KubeconfigWriterTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    contents_.name = "steward";
    contents_.server = "https://127.0.0.1:8443";
    contents_.ca_pem = "the CA\n";
    contents_.cert_pem = "the certificate\n";
    contents_.key_pem = std::string("key \0 bytes", 11);
  }
  const std::string folder_ =
      ::testing::TempDir() + "/" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path_ = folder_ + "/kubeconfig";
  KubeconfigContents contents_;
};

TEST_F(KubeconfigWriterTest, ReadsBack) {
  ASSERT_OK(WriteKubeconfig(path_, contents_));
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, LoadKubeconfig(path_));
  EXPECT_TRUE(config.tls);
  EXPECT_EQ(config.host, "127.0.0.1");
  EXPECT_EQ(config.port, 8443);
  EXPECT_EQ(config.ca_pem, contents_.ca_pem);
  EXPECT_EQ(config.cert_pem, contents_.cert_pem);
  EXPECT_EQ(config.key_pem, contents_.key_pem);
  EXPECT_TRUE(config.token.empty());
  EXPECT_OK(LoadKubeconfig(path_, "steward"));
}

TEST_F(KubeconfigWriterTest, IsForItsOwnerAlone) {
  ASSERT_OK(WriteKubeconfig(path_, contents_));
  struct stat info = {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(KubeconfigWriterTest, ReplacesItsOwnInOneStep) {
  ASSERT_OK(WriteKubeconfig(path_, contents_));
  std::ifstream reader(path_);
  contents_.server = "https://127.0.0.1:9443";
  ASSERT_OK(WriteKubeconfig(path_, contents_));
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, LoadKubeconfig(path_));
  EXPECT_EQ(config.port, 9443);
  // A reader that has the old file open reads it to its end.
  const std::string old((std::istreambuf_iterator<char>(reader)), std::istreambuf_iterator<char>());
  EXPECT_THAT(old, HasSubstr("https://127.0.0.1:8443"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(KubeconfigWriterTest, LeavesOthersFilesAlone) {
  const char* const others[] = {
      "",
      "notes to myself\n",
      "{}",
      "clusters: []\n",
      "clusters: [{name: production}]\n",
      "clusters: [{name: steward}, {name: production}]\n",
      "clusters: [steward]\n",
  };
  for (const char* other : others) {
    std::ofstream(path_) << other;
    EXPECT_THAT(WriteKubeconfig(path_, contents_),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(path_)));
    EXPECT_EQ(ReadSmallFile(path_).value_or("?"), other);
  }
}

TEST_F(KubeconfigWriterTest, SaysWhereItCannotWrite) {
  const std::string missing = folder_ + "/no/such/folder/kubeconfig";
  const absl::Status status = WriteKubeconfig(missing, contents_);
  EXPECT_THAT(std::string(status.message()), HasSubstr(missing));
}

}  // namespace
}  // namespace steward::kube
