#include "base/archive/tar_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class TarReaderTest : public testing::Test {
 protected:
  // Packs these files with the system's tar, and returns the path of the result.
  std::string Tar(const std::map<std::string, std::string>& files, const std::string& options) {
    for (const auto& [name, content] : files)
      std::ofstream(StrCat(directory_.path(), "/", name)) << content;
    const std::string path = StrCat(directory_.path(), "/made.tar");
    std::string names;
    for (const auto& [name, content] : files) names += " " + name;
    const std::string command =
        StrCat("cd ", directory_.path(), " && ln -sf a link && mkdir -p d && tar ", options,
               " -cf made.tar d link", names);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path;
  }

  static std::string BytesOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Returns the files; sets `outcome` to the error at the end.
  static std::map<std::string, std::string> ReadAll(TarReader& reader, absl::Status& outcome) {
    std::map<std::string, std::string> files;
    while (true) {
      const auto entry = reader.Next();
      outcome = entry.status();
      if (!entry.ok() || !entry->has_value()) return files;
      if (!(*entry)->is_file) continue;
      outcome = reader.Read(1 << 20, files[(*entry)->path]);
      if (!outcome.ok()) return files;
    }
  }

  TestDirectory directory_;
};

TEST_F(TarReaderTest, ReadsFilesPlainAndPacked) {
  for (const char* options : {"", "-z", "--format=pax", "--format=gnu", "--format=ustar"}) {
    const std::string path = Tar({{"a", "one\n"}, {"b", std::string(100'000, 'x')}}, options);
    const auto reader = TarReader::Open(path);
    ASSERT_OK(reader);
    absl::Status outcome;
    EXPECT_THAT(ReadAll(**reader, outcome),
                ElementsAre(Pair("a", "one\n"), Pair("b", std::string(100'000, 'x'))))
        << options;
    EXPECT_OK(outcome);
  }
}

TEST_F(TarReaderTest, PassesOverWhatIsNotRead) {
  const std::string path = Tar({{"a", std::string(3 << 20, 'x')}, {"b", "two"}}, "");
  const auto reader = TarReader::Open(path);
  ASSERT_OK(reader);
  std::vector<std::string> paths;
  for (auto entry = (*reader)->Next(); entry.ok() && entry->has_value();
       entry = (*reader)->Next()) {
    paths.push_back((*entry)->path);
  }
  EXPECT_THAT(paths, ElementsAre("d/", "link", "a", "b"));
}

TEST_F(TarReaderTest, RefusesWhatIsTooLarge) {
  const auto reader = TarReader::Open(Tar({{"a", "123456"}}, ""));
  ASSERT_OK(reader);
  for (int i = 0; i < 3; ++i) ASSERT_OK((*reader)->Next());
  std::string content;
  EXPECT_TRUE(absl::IsResourceExhausted((*reader)->Read(5, content)));
  EXPECT_EQ(content, "");
}

TEST_F(TarReaderTest, SaysThatItIsNoTar) {
  for (const std::string text : {"", "apiVersion: v1\n", "PK\x03\x04"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(TarReader::Over(text).status())) << text;
  }
  EXPECT_TRUE(absl::IsNotFound(TarReader::Open(directory_.path() + "/absent").status()));
}

TEST_F(TarReaderTest, SaysWhereItIsCutOff) {
  for (const char* options : {"", "-z"}) {
    std::string content;
    for (int i = 0; i < 90'000; ++i) StrAppend(&content, i * 7919 % 100'003, "\n");
    const std::string bytes = BytesOf(Tar({{"a", "whole"}, {"b", content}}, options));
    const auto reader = TarReader::Over(std::string_view(bytes).substr(0, bytes.size() / 2));
    ASSERT_OK(reader);
    absl::Status outcome;
    const auto files = ReadAll(**reader, outcome);
    EXPECT_EQ(files.at("a"), "whole");
    EXPECT_TRUE(absl::IsDataLoss(outcome)) << outcome;
    EXPECT_TRUE(absl::IsDataLoss((*reader)->Next().status()));
  }
}

TEST_F(TarReaderTest, EndsABomb) {
  const std::string bytes = BytesOf(Tar({{"a", std::string(32 << 20, '\0')}, {"b", "x"}}, "-z"));
  const auto reader = TarReader::Over(bytes, {.free = 1 << 20, .ratio = 200});
  ASSERT_OK(reader);
  absl::Status outcome;
  while (true) {
    const auto entry = (*reader)->Next();
    outcome = entry.status();
    if (!entry.ok() || !entry->has_value()) break;
  }
  EXPECT_TRUE(absl::IsResourceExhausted(outcome)) << outcome;
  EXPECT_THAT(std::string(outcome.message()), HasSubstr("which no dump is"));
}

// A bomb within a bomb: both the outer file and its unpacked content are small.
TEST_F(TarReaderTest, IsUnpackedOnce) {
  const std::string path = Tar({{"a", std::string(1 << 20, '\0')}}, "-z");
  ASSERT_EQ(std::system(StrCat("gzip -k ", path).c_str()), 0);
  const auto reader = TarReader::Open(path + ".gz");
  EXPECT_TRUE(absl::IsInvalidArgument(reader.status())) << reader.status();
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("more than once"));
}

// The packed file is smaller than one block that is read, so the limits must be checked while it is
// unpacked.
TEST_F(TarReaderTest, EndsABombOfOneBlock) {
  const std::string bytes = BytesOf(Tar({{"a", std::string(32 << 20, '\0')}, {"b", "x"}}, "-z"));
  ASSERT_LT(bytes.size(), 100u << 10);
  const TarLimits limits{.free = 1 << 20, .ratio = 200};
  const auto passes = TarReader::Over(bytes, limits);
  ASSERT_OK(passes);
  absl::Status outcome;
  for (int i = 0; i < 4 && outcome.ok(); ++i) outcome = (*passes)->Next().status();
  EXPECT_TRUE(absl::IsResourceExhausted(outcome)) << outcome;
  const auto reads = TarReader::Over(bytes, limits);
  ASSERT_OK(reads);
  for (int i = 0; i < 3; ++i) ASSERT_OK((*reads)->Next());
  std::string content;
  EXPECT_TRUE(absl::IsResourceExhausted((*reads)->Read(64 << 20, content)));
  EXPECT_LT(content.size(), 24u << 20);
}

TEST_F(TarReaderTest, EndsWhenItIsStopped) {
  for (const char* options : {"", "-z"}) {
    const auto reader = TarReader::Open(Tar({{"a", std::string(1 << 20, 'x')}}, options));
    ASSERT_OK(reader);
    for (int i = 0; i < 3; ++i) ASSERT_OK((*reader)->Next());
    std::thread([&] { (*reader)->Stop(); }).join();
    std::string content;
    EXPECT_TRUE(absl::IsCancelled((*reader)->Read(1 << 20, content)));
    EXPECT_TRUE(absl::IsCancelled((*reader)->Next().status()));
  }
}

TEST_F(TarReaderTest, HardLinksSayWhatTheyStandFor) {
  const std::string path = StrCat(directory_.path(), "/made.tar");
  ASSERT_EQ(std::system(
                StrCat("cd ", directory_.path(), " && echo x > a && ln a b && tar -cf made.tar a b")
                    .c_str()),
            0);
  const auto reader = TarReader::Open(path);
  ASSERT_OK(reader);
  ASSERT_OK((*reader)->Next());
  const auto entry = (*reader)->Next();
  ASSERT_OK(entry);
  ASSERT_TRUE(entry->has_value());
  EXPECT_FALSE((*entry)->is_file);
  EXPECT_EQ((*entry)->linked, "a");
}

}  // namespace
}  // namespace steward
