#include "storage/embedded/dump/dump_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"

namespace steward::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DumpFilesTest : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = StrCat(directory_.path(), "/", path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  // "PATH=TEXT" of each file, relative to the folder, and of what is wrong with the whole.
  std::vector<std::string> ReadAll(const std::string& path) {
    std::vector<std::string> all;
    auto files = DumpFiles::Open(path);
    if (!files.ok()) return {std::string(files.status().message())};
    while (true) {
      const auto some = (*files)->Next();
      if (!some.ok()) all.push_back(std::string(some.status().message()));
      if (!some.ok() || some->empty()) return all;
      for (const DumpFile& file : *some) {
        std::string name = file.path;
        if (name.starts_with(path)) name.erase(0, path.size() + 1);
        all.push_back(
            StrCat(name, "=", file.trouble.ok() ? file.text : ToStd(file.trouble.message())));
      }
    }
  }

  TestDirectory directory_;
};

TEST_F(DumpFilesTest, FilesOfAFolderAreSortedAndTheRestIsNotRead) {
  Put("d/b/two.yaml", "2");
  Put("d/a.yml", "1");
  Put("d/c.json", "3");
  Put("d/pod.log", "x");
  Put("d/.hidden/x.yaml", "x");
  Put("outside/y.yaml", "y");
  std::filesystem::create_directory_symlink(directory_.path() + "/outside",
                                            directory_.path() + "/d/out");
  std::filesystem::create_symlink(directory_.path() + "/outside/y.yaml",
                                  directory_.path() + "/d/y.yaml");
  EXPECT_THAT(ReadAll(directory_.path() + "/d"),
              ElementsAre("a.yml=1", "b/two.yaml=2", "c.json=3"));
}

TEST_F(DumpFilesTest, ATarHasTheSamePlaces) {
  Put("d/top/namespaces/a/core/pods.yaml", "1");
  Put("d/top/namespaces/a/pods/x/x/logs/current.log", "x");
  for (const char* options : {"-cf", "-czf"}) {
    const std::string tar = directory_.path() + "/made";
    ASSERT_EQ(
        std::system(StrCat("tar -C ", directory_.path(), " ", options, " ", tar, " d").c_str()), 0);
    auto files = DumpFiles::Open(tar);
    ASSERT_OK(files);
    const auto some = (*files)->Next();
    ASSERT_OK(some);
    ASSERT_EQ(some->size(), 1u);
    EXPECT_EQ(some->front().path, "d/top/namespaces/a/core/pods.yaml");
    ASSERT_TRUE(some->front().place.has_value());
    EXPECT_EQ(some->front().place->ns, "a");
    EXPECT_THAT((*files)->Next(), IsOkAndHolds(testing::IsEmpty()));
  }
}

TEST_F(DumpFilesTest, WhatIsNoDumpIsRefused) {
  Put("a.txt", "hello");
  EXPECT_TRUE(absl::IsNotFound(DumpFiles::Open(directory_.path() + "/absent").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(DumpFiles::Open(directory_.path() + "/a.txt").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(DumpFiles::Open("/dev/null").status()));
}

TEST_F(DumpFilesTest, FoldersAreFollowedToAPoint) {
  std::string path = "d";
  for (size_t i = 0; i < DumpFiles::kMaxDepth + 2; ++i) path += "/e";
  Put(path + "/a.yaml", "1");
  Put("d/z.yaml", "2");
  EXPECT_THAT(ReadAll(directory_.path() + "/d"),
              ElementsAre(HasSubstr("is below more than 64 folders"), "z.yaml=2"));
}

TEST_F(DumpFilesTest, ATarHasTheSameDepthAndNoLinks) {
  std::string path = "d";
  for (size_t i = 0; i < DumpFiles::kMaxDepth; ++i) path += "/e";
  Put(path + "/a.yaml", "1");
  Put("d/y.yaml", "2");
  std::filesystem::create_hard_link(directory_.path() + "/d/y.yaml",
                                    directory_.path() + "/d/z.yaml");
  std::filesystem::create_hard_link(directory_.path() + "/d/y.yaml", directory_.path() + "/d/log");
  const std::string tar = directory_.path() + "/made.tar";
  ASSERT_EQ(std::system(StrCat("cd ", directory_.path(), " && tar -cf ", tar, " ", path,
                               "/a.yaml d/y.yaml d/z.yaml d/log")
                            .c_str()),
            0);
  EXPECT_THAT(ReadAll(tar),
              ElementsAre(path + "/a.yaml=is below more than 64 folders", "d/y.yaml=2",
                          "d/z.yaml=is left out, being a hard link to d/y.yaml"));
}

TEST_F(DumpFilesTest, EndsWhenItIsStopped) {
  Put("d/a.yaml", "1");
  const std::string tar = directory_.path() + "/made.tar";
  ASSERT_EQ(std::system(StrCat("tar -C ", directory_.path(), " -cf ", tar, " d").c_str()), 0);
  for (const std::string& path : {directory_.path() + "/d", tar}) {
    auto files = DumpFiles::Open(path);
    ASSERT_OK(files);
    (*files)->Stop();
    EXPECT_TRUE(absl::IsCancelled((*files)->Next().status())) << path;
  }
}

TEST_F(DumpFilesTest, ATarThatIsCutOffYieldsWhatComesBefore) {
  Put("d/a.yaml", std::string(100, 'a'));
  Put("d/b.yaml", std::string(100'000, 'b'));
  const std::string tar = directory_.path() + "/made.tar";
  ASSERT_EQ(std::system(StrCat("tar --sort=name -C ", directory_.path(), " -cf ", tar,
                               " d && truncate -s 50000 ", tar)
                            .c_str()),
            0);
  const std::vector<std::string> all = ReadAll(tar);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0], "d/a.yaml=" + std::string(100, 'a'));
  EXPECT_THAT(all[1], HasSubstr("d/b.yaml=is cut off or damaged"));
  EXPECT_THAT(all[2], HasSubstr("is cut off or damaged"));
}

}  // namespace
}  // namespace steward::storage
