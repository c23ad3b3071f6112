#include "console/server/file_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "console/server/test_files.h"

namespace steward::console {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(FileIndexTest, ContentTypes) {
  const struct {
    std::string_view name;
    std::string_view want;
  } kRows[] = {
      {"a.js", "text/javascript; charset=utf-8"},
      {"a.mjs", "text/javascript; charset=utf-8"},
      {"a.css", "text/css; charset=utf-8"},
      {"a.json", "application/json"},
      {"a.js.map", "application/json"},
      {"a.html", "text/html; charset=utf-8"},
      {"a.svg", "image/svg+xml"},
      {"a.png", "image/png"},
      {"a.woff", "font/woff"},
      {"a.woff2", "font/woff2"},
      {"a.ttf", "font/ttf"},
      {"a.ico", "image/vnd.microsoft.icon"},
      {"a.txt", "text/plain; charset=utf-8"},
      {"a.exe", "application/octet-stream"},
      {"js", "application/octet-stream"},
      {"", "application/octet-stream"},
  };
  for (const auto& row : kRows) EXPECT_EQ(ContentTypeOf(row.name), row.want) << row.name;
}

TEST(FileIndexTest, Extensions) {
  for (const char* name : {"a.js", "/b/a.js.map", "favicon.ico"}) {
    EXPECT_TRUE(HasFileExtension(name)) << name;
  }
  for (const char* name : {"", "/", "operators", "/operators/widget.v1.0.0", "a.js/b", "js"}) {
    EXPECT_FALSE(HasFileExtension(name)) << name;
  }
}

TEST(FileIndexTest, HashesInNames) {
  const struct {
    std::string_view name;
    bool want;
  } kRows[] = {
      {"main.0123456789abcdef.js", true},  {"main-0123456789abcdef0123.js", true},
      {"0123456789abcdef.css", true},      {"chunk.exposed-0123456789ABCDEF.js", true},
      {"0123456789abcdef", true},          {"main.0123456789abcde.js", false},
      {"main.0123456789abcdeg.js", false}, {"main0123456789abcdef.js", false},
      {"plugin-manifest.json", false},     {"", false},
  };
  for (const auto& row : kRows) EXPECT_EQ(HoldsHash(row.name), row.want) << row.name;
}

class FileIndexLoadTest : public ::testing::Test {
 protected:
  FileIndexLoadTest() { PutFile(directory_, "index.html", "<html>"); }

  absl::StatusOr<FileIndex> Load(const FileLimits& limits = {}) {
    return FileIndex::Load(directory_.path(), "index.html", limits);
  }
  fs::path At(const std::string& path) { return fs::path(directory_.path()) / path; }

  TestDirectory directory_;
};

TEST_F(FileIndexLoadTest, Files) {
  const std::string script(10000, 'x');
  PutFile(directory_, "assets/deep/main.0123456789abcdef.js", script);
  PutFile(directory_, "logo.png", script);
  PutFile(directory_, "empty.txt", "");
  ASSERT_OK_AND_ASSIGN(const FileIndex index, Load());
  EXPECT_EQ(index.size(), 4u);
  const StaticFile* file = index.Find("/assets/deep/main.0123456789abcdef.js");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->content, script);
  EXPECT_EQ(file->content_type, "text/javascript; charset=utf-8");
  EXPECT_TRUE(file->immutable);
  EXPECT_EQ(Gunzip(file->gzip), script);
  EXPECT_EQ(file->digest.size(), 64u);
  EXPECT_EQ(index.Find("/logo.png")->gzip, "") << "it is compressed already";
  EXPECT_EQ(index.Find("/logo.png")->digest, file->digest);
  EXPECT_EQ(index.Find("/empty.txt")->content, "");
  EXPECT_EQ(index.Find("/index.html")->gzip, "") << "it would be larger";
  EXPECT_FALSE(index.Find("/index.html")->immutable);
}

TEST_F(FileIndexLoadTest, OnlyThosePathsAreFound) {
  PutFile(directory_, "a/b.txt", "b");
  ASSERT_OK_AND_ASSIGN(const FileIndex index, Load());
  for (const char* path : {"", "/", "/a", "/a/", "a/b.txt", "//a/b.txt", "/a/../a/b.txt",
                           "/a/./b.txt", "/../index.html", "/A/b.txt"}) {
    EXPECT_EQ(index.Find(path), nullptr) << path;
  }
  PutFile(directory_, "later.txt", "l");
  EXPECT_EQ(index.Find("/later.txt"), nullptr);
}

TEST_F(FileIndexLoadTest, WhatIsRequired) {
  EXPECT_THAT(FileIndex::Load(directory_.path(), "plugin-manifest.json"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("plugin-manifest.json")));
  EXPECT_THAT(FileIndex::Load(directory_.path() + "/absent", "index.html"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("there is no folder")));
  EXPECT_THAT(FileIndex::Load(directory_.path() + "/index.html", "index.html"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("there is no folder")));
}

TEST_F(FileIndexLoadTest, Limits) {
  PutFile(directory_, "a.txt", "1234");
  EXPECT_OK(Load({.max_bytes = 10, .max_files = 2}));
  EXPECT_THAT(Load({.max_bytes = 9}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("more than 9 bytes")));
  EXPECT_THAT(Load({.max_files = 1}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("more than 1")));
}

TEST_F(FileIndexLoadTest, ALinkWithinTheFolder) {
  PutFile(directory_, "a/b.txt", "b");
  fs::create_symlink("a/b.txt", At("link.txt"));
  ASSERT_OK_AND_ASSIGN(const FileIndex index, Load());
  EXPECT_EQ(index.Find("/link.txt")->content, "b");
}

TEST_F(FileIndexLoadTest, WhatIsRefused) {
  const TestDirectory outside;
  PutFile(outside, "secret.txt", "s");
  const struct {
    std::string name;
    fs::path target;
    const char* why;
  } kRows[] = {
      {"out.txt", fs::path(outside.path()) / "secret.txt", "leads to no file in that folder"},
      {"up", "../", "leads to no file in that folder"},
      {"gone.txt", "nowhere.txt", "leads to no file in that folder"},
      {"folder", "a", "something other than a file"},
  };
  PutFile(directory_, "a/b.txt", "b");
  for (const auto& row : kRows) {
    fs::create_symlink(row.target, At(row.name));
    EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(row.why)))
        << row.name;
    fs::remove(At(row.name));
  }
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kFailedPrecondition,
                               HasSubstr("neither a file nor a folder")));
}

}  // namespace
}  // namespace steward::console
