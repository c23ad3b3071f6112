#include "base/lines/rotating_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Optional;

class RotatingFileTest : public ::testing::Test {
 protected:
  RotatingFileTest() {
    std::string pattern = fs::temp_directory_path() / "steward-lines-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~RotatingFileTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string Path() const { return folder_ / "logs" / "audit.log"; }
  std::unique_ptr<RotatingFile> Open(RotationOptions options = {}) {
    auto file = RotatingFile::Open(Path(), options, clock_);
    EXPECT_OK(file);
    return *std::move(file);
  }
  static std::string Content(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "logs")) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // Waits until the folder has these files, which another thread makes.
  void WaitFor(const std::vector<std::string>& names) const {
    while (Names() != names) std::this_thread::yield();
  }

  FakeClock clock_{absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone())};
  fs::path folder_;
};

TEST_F(RotatingFileTest, AppendsToAFileOfItsOwnersAlone) {
  EXPECT_OK(Open()->Write("one\n"));
  EXPECT_OK(Open()->Write("two\n"));
  EXPECT_EQ(Content(Path()), "one\ntwo\n");
  struct stat info {};
  ASSERT_EQ(stat(Path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(RotatingFileTest, SetsAsideWhatIsFull) {
  const auto file = Open({.max_bytes = 10});
  EXPECT_OK(file->Write("12345678\n"));
  EXPECT_OK(file->Write("abc\n"));
  EXPECT_OK(file->Write("abcde\n"));
  EXPECT_OK(file->Write("a line that is longer than a file may be\n"));
  EXPECT_THAT(Names(), ElementsAre("audit-2026-01-02T03-04-05.000.log",
                                   "audit-2026-01-02T03-04-05.001.log", "audit.log"));
  EXPECT_EQ(Content(folder_ / "logs" / "audit-2026-01-02T03-04-05.000.log"), "12345678\n");
  EXPECT_EQ(Content(folder_ / "logs" / "audit-2026-01-02T03-04-05.001.log"), "abc\nabcde\n");
}

TEST_F(RotatingFileTest, KeepsSoManyBackups) {
  const auto file = Open({.max_bytes = 5, .max_backups = 2});
  for (int i = 0; i < 6; ++i) {
    EXPECT_OK(file->Write(StrCat("line", i, "\n")));
    clock_.Advance(absl::Minutes(1));
  }
  EXPECT_THAT(Names(), ElementsAre("audit-2026-01-02T03-08-05.000.log",
                                   "audit-2026-01-02T03-09-05.000.log", "audit.log"));
  EXPECT_EQ(Content(Path()), "line5\n");
}

TEST_F(RotatingFileTest, KeepsBackupsForSoLong) {
  const auto file = Open({.max_bytes = 5, .max_age = absl::Hours(24)});
  EXPECT_OK(file->Write("line0\n"));
  EXPECT_OK(file->Write("line1\n"));
  std::ofstream(folder_ / "logs" / "audit-other.log") << "not ours";
  std::ofstream(folder_ / "logs" / "other-2001-01-02T03-04-05.000.log") << "not ours";
  clock_.Advance(absl::Hours(25));
  EXPECT_OK(file->Write("line2\n"));
  EXPECT_THAT(Names(), ElementsAre("audit-2026-01-03T04-04-05.000.log", "audit-other.log",
                                   "audit.log", "other-2001-01-02T03-04-05.000.log"));
  clock_.Advance(absl::Hours(25));
  Open({.max_age = absl::Hours(24)});
  EXPECT_THAT(Names(),
              ElementsAre("audit-other.log", "audit.log", "other-2001-01-02T03-04-05.000.log"));
}

TEST_F(RotatingFileTest, CompressesBackups) {
  {
    const auto file = Open({.max_bytes = 5, .compress = true});
    EXPECT_OK(file->Write("line0\n"));
    EXPECT_OK(file->Write("line1\n"));
    WaitFor({"audit-2026-01-02T03-04-05.000.log.gz", "audit.log"});
    // The next backup gets another name.
    EXPECT_OK(file->Write("line2\n"));
    WaitFor({"audit-2026-01-02T03-04-05.000.log.gz", "audit-2026-01-02T03-04-05.001.log.gz",
             "audit.log"});
  }
  EXPECT_THAT(Gunzip(Content(folder_ / "logs" / "audit-2026-01-02T03-04-05.000.log.gz")),
              Optional(std::string("line0\n")));
  EXPECT_THAT(Gunzip(Content(folder_ / "logs" / "audit-2026-01-02T03-04-05.001.log.gz")),
              Optional(std::string("line1\n")));
  EXPECT_EQ(Content(Path()), "line2\n");
}

TEST_F(RotatingFileTest, CompressedBackupsCountLikeOthers) {
  fs::create_directory(folder_ / "logs");
  for (const char* name :
       {"audit-2025-12-01T00-00-00.000.log.gz", "audit-2025-12-30T00-00-00.000.log",
        "audit-2025-12-31T00-00-00.000.log.gz", "audit-2026-01-01T00-00-00.000.log",
        "audit-2026-01-01T00-00-00.000.log.gz", "audit-other.log.gz"}) {
    std::ofstream(folder_ / "logs" / name) << "a backup";
  }
  Open({.max_age = absl::Hours(24 * 7)});
  EXPECT_THAT(Names(), Not(Contains("audit-2025-12-01T00-00-00.000.log.gz")));
  Open({.max_backups = 2});
  EXPECT_THAT(
      Names(),
      ElementsAre("audit-2025-12-31T00-00-00.000.log.gz", "audit-2026-01-01T00-00-00.000.log",
                  "audit-2026-01-01T00-00-00.000.log.gz", "audit-other.log.gz", "audit.log"));
  Open({.max_backups = 1});
  EXPECT_THAT(Names(), ElementsAre("audit-2026-01-01T00-00-00.000.log",
                                   "audit-2026-01-01T00-00-00.000.log.gz", "audit-other.log.gz",
                                   "audit.log"));
}

TEST_F(RotatingFileTest, GoesOnWhereAProcessDied) {
  fs::create_directory(folder_ / "logs");
  // An earlier process died while it compressed one backup, and right before it removed another one
  // that was compressed.
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log") << "first\n";
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log.gz.tmp") << "half";
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.001.log") << "second\n";
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.001.log.gz") << "anything";
  std::ofstream(folder_ / "logs" / "other.log.gz.tmp") << "not ours";
  {
    const auto file = Open({.compress = true});
    WaitFor({"audit-2026-01-01T00-00-00.000.log.gz", "audit-2026-01-01T00-00-00.001.log.gz",
             "audit.log", "other.log.gz.tmp"});
  }
  EXPECT_THAT(Gunzip(Content(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log.gz")),
              Optional(std::string("first\n")));
  EXPECT_THAT(Gunzip(Content(folder_ / "logs" / "audit-2026-01-01T00-00-00.001.log.gz")),
              Optional(std::string("second\n")));
}

TEST_F(RotatingFileTest, WithoutCompressionOnlyTheUnfinishedGoes) {
  fs::create_directory(folder_ / "logs");
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log") << "plain";
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log.gz.tmp") << "half";
  Open();
  EXPECT_THAT(Names(), ElementsAre("audit-2026-01-01T00-00-00.000.log", "audit.log"));
}

TEST_F(RotatingFileTest, SaysWhatItCouldNotCompress) {
  // A folder with the name of the compressed backup is in its way.
  fs::create_directories(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log.gz" / "full");
  std::ofstream(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log") << "kept\n";
  std::atomic<int> failures{0};
  {
    const auto file = Open(
        {.max_bytes = 5, .compress = true, .not_compressed = [&](const auto&) { ++failures; }});
    while (failures < 1) std::this_thread::yield();
    EXPECT_OK(file->Write("line0\n"));
    EXPECT_OK(file->Write("line1\n"));
    while (failures < 2) std::this_thread::yield();
  }
  EXPECT_EQ(Content(folder_ / "logs" / "audit-2026-01-01T00-00-00.000.log"), "kept\n");
}

TEST_F(RotatingFileTest, OutlivesAFullDisk) {
  fs::create_directory(folder_ / "logs");
  fs::create_symlink("/dev/full", Path());
  const auto file = Open();
  EXPECT_THAT(file->Write("lost\n"), StatusIs(absl::StatusCode::kResourceExhausted));
  fs::remove(Path());
  EXPECT_OK(file->Write("kept\n"));
  EXPECT_EQ(Content(Path()), "kept\n");
}

TEST_F(RotatingFileTest, ADeviceIsNotSetAside) {
  fs::create_directory(folder_ / "logs");
  fs::create_symlink("/dev/null", Path());
  const auto file = Open({.max_bytes = 5});
  EXPECT_OK(file->Write("line0\n"));
  EXPECT_OK(file->Write("line1\n"));
  EXPECT_THAT(Names(), ElementsAre("audit.log"));
}

TEST_F(RotatingFileTest, AFolderThatCannotBe) {
  std::ofstream(folder_ / "logs") << "a file";
  EXPECT_FALSE(RotatingFile::Open(Path(), {}, clock_).ok());
}

}  // namespace
}  // namespace steward
