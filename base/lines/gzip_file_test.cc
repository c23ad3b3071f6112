#include "base/lines/gzip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Optional;

class GzipFileTest : public ::testing::Test {
 protected:
  GzipFileTest() {
    std::string pattern = fs::temp_directory_path() / "steward-gzip-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~GzipFileTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string Path(const std::string& name = "old.log") const { return folder_ / name; }
  static std::string Content(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::atomic<bool> ending_{false};
  fs::path folder_;
};

TEST_F(GzipFileTest, TakesThePlaceOfThePlainFile) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += StrCat("line ", i, "\n");
  for (const std::string& each : {std::string(), std::string("one line\n"), text}) {
    SCOPED_TRACE(each.size());
    std::ofstream(Path()) << each;
    EXPECT_OK(GzipFile(Path(), ending_));
    EXPECT_THAT(Names(), ElementsAre("old.log.gz"));
    EXPECT_THAT(Gunzip(Content(Path("old.log.gz"))), Optional(each));
  }
  EXPECT_LT(fs::file_size(Path("old.log.gz")), text.size() / 3);
  struct stat info {};
  ASSERT_EQ(stat(Path("old.log.gz").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(GzipFileTest, AnUnfinishedOneIsBegunAnew) {
  std::ofstream(Path()) << "text\n";
  std::ofstream(Path("old.log.gz.tmp")) << std::string(100, 'x');
  EXPECT_OK(GzipFile(Path(), ending_));
  EXPECT_THAT(Names(), ElementsAre("old.log.gz"));
  EXPECT_THAT(Gunzip(Content(Path("old.log.gz"))), Optional(std::string("text\n")));
}

TEST_F(GzipFileTest, GivesUpWhenItMust) {
  std::ofstream(Path()) << "text\n";
  ending_ = true;
  EXPECT_THAT(GzipFile(Path(), ending_), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(Names(), ElementsAre("old.log"));
}

TEST_F(GzipFileTest, AnErrorLeavesThePlainFile) {
  EXPECT_THAT(GzipFile(Path(), ending_), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Names(), ElementsAre());
  std::ofstream(Path()) << "text\n";
  // A folder has the name of the compressed file, so that cannot be created.
  fs::create_directories(folder_ / "old.log.gz" / "full");
  EXPECT_FALSE(GzipFile(Path(), ending_).ok());
  EXPECT_THAT(Names(), ElementsAre("old.log", "old.log.gz"));
  EXPECT_EQ(Content(Path()), "text\n");
}

}  // namespace
}  // namespace steward
