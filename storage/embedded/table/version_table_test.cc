#include "storage/embedded/table/version_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "storage/embedded/table/sqlite.h"

namespace steward::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMany = 1000;
constexpr size_t kBytes = 1 << 20;

class VersionTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(connection_, Connection::Open(directory_.path() + "/db"));
    ASSERT_OK_AND_ASSIGN(table_, VersionTable::Open(*connection_));
    ASSERT_OK_AND_ASSIGN(revision_, table_->Newest());
  }

  int64_t Put(std::string_view resource, std::string_view key, std::string_view body,
              const std::vector<std::string>& owners = {}) {
    EXPECT_OK(table_->Put(resource, key, ++revision_, body, owners));
    return revision_;
  }
  int64_t Remove(std::string_view resource, std::string_view key) {
    EXPECT_OK(table_->Put(resource, key, ++revision_, std::nullopt, {}));
    return revision_;
  }
  // Each state as "key=body".
  std::vector<std::string> List(std::string_view resource, int64_t revision,
                                const KeyRange& range = {}, int64_t limit = kMany) {
    std::vector<std::string> found;
    const auto versions = table_->List(resource, range, revision, limit, kBytes);
    EXPECT_OK(versions);
    if (!versions.ok()) return found;
    for (const Version& version : *versions) found.push_back(version.key + "=" + version.body);
    return found;
  }
  // Each change as "+key=body", "~key=old>new" or "-key=old".
  std::vector<std::string> Changes(std::string_view resource, int64_t after) {
    std::vector<std::string> found;
    const auto changes = table_->Changes(resource, after, revision_, kMany, kBytes);
    EXPECT_OK(changes);
    if (!changes.ok()) return found;
    for (const Change& change : *changes) {
      if (!change.body) {
        found.push_back("-" + change.key + "=" + change.previous.value_or("?"));
      } else if (change.previous) {
        found.push_back("~" + change.key + "=" + *change.previous + ">" + *change.body);
      } else {
        found.push_back("+" + change.key + "=" + *change.body);
      }
    }
    return found;
  }

  TestDirectory directory_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<VersionTable> table_;
  int64_t revision_ = 0;
};

TEST_F(VersionTableTest, StatesOfThePastStay) {
  const int64_t first = Put("w", "a/x", "1");
  const int64_t second = Put("w", "a/x", "2");
  const int64_t gone = Remove("w", "a/x");
  const int64_t back = Put("w", "a/x", "3");
  EXPECT_THAT(List("w", first - 1), IsEmpty());
  EXPECT_THAT(List("w", first), ElementsAre("a/x=1"));
  EXPECT_THAT(List("w", second), ElementsAre("a/x=2"));
  EXPECT_THAT(List("w", gone), IsEmpty());
  EXPECT_THAT(List("w", back), ElementsAre("a/x=3"));
  EXPECT_THAT(Changes("w", first - 1), ElementsAre("+a/x=1", "~a/x=1>2", "-a/x=2", "+a/x=3"));
  EXPECT_THAT(Changes("w", gone), ElementsAre("+a/x=3"));
}

TEST_F(VersionTableTest, RangesFollowEtcdsOrder) {
  for (const char* key : {"b/x", "a/y", "a-b/x", "a/x", "a0/x"}) Put("w", key, "1");
  Put("v", "a/x", "other");
  EXPECT_THAT(List("w", revision_), ElementsAre("a-b/x=1", "a/x=1", "a/y=1", "a0/x=1", "b/x=1"));
  EXPECT_THAT(List("w", revision_, {"a/", std::nullopt}), ElementsAre("a/x=1", "a/y=1"));
  EXPECT_THAT(List("w", revision_, {"a/", "a/x"}), ElementsAre("a/y=1"));
  EXPECT_THAT(List("w", revision_, {"", "a/y"}), ElementsAre("a0/x=1", "b/x=1"));
  EXPECT_THAT(List("w", revision_, {"", std::nullopt}, 2), ElementsAre("a-b/x=1", "a/x=1"));
  EXPECT_THAT(table_->Count("w", {"a/", std::nullopt}, revision_), IsOkAndHolds(2));
}

TEST_F(VersionTableTest, PagesEndAtTheByteLimit) {
  for (const char* key : {"a", "b", "c"}) Put("w", key, std::string(100, 'x'));
  ASSERT_OK_AND_ASSIGN(const std::vector<Version> page,
                       table_->List("w", {}, revision_, kMany, 150));
  EXPECT_EQ(page.size(), 2u);
}

TEST_F(VersionTableTest, CompactionKeepsWhatIsStillReadable) {
  Put("w", "a", "1");
  const int64_t second = Put("w", "a", "2");
  const int64_t gone = Remove("w", "b-never-there");
  Put("w", "c", "1");
  Remove("w", "c");
  const int64_t late = Put("w", "a", "3");
  ASSERT_OK_AND_ASSIGN(bool more, table_->Compact(second, kMany));
  while (more) {
    ASSERT_OK_AND_ASSIGN(more, table_->Compact(second, kMany));
  }
  EXPECT_THAT(table_->CompactedRevision(), IsOkAndHolds(second));
  EXPECT_THAT(List("w", second), ElementsAre("a=2"));
  EXPECT_THAT(List("w", late), ElementsAre("a=3"));
  EXPECT_THAT(Changes("w", gone), ElementsAre("+c=1", "-c=1", "~a=2>3"));
}

TEST_F(VersionTableTest, OwnersAreTheLastStates) {
  Put("w", "a", "1", {"u1", "u2"});
  Put("w", "b", "1", {"u1"});
  EXPECT_THAT(table_->DependentsOf("u1"),
              IsOkAndHolds(ElementsAre(Dependent{"w", "a"}, Dependent{"w", "b"})));
  Put("w", "a", "2", {"u2"});
  Remove("w", "b");
  EXPECT_THAT(table_->DependentsOf("u1"), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(table_->DependentsOf("u2"), IsOkAndHolds(ElementsAre(Dependent{"w", "a"})));
}

TEST_F(VersionTableTest, WhatIsNotCommittedIsNotThereAfterwards) {
  ASSERT_OK(table_->BeginWriting());
  Put("w", "a", "1");
  table_->Rollback();
  ASSERT_OK_AND_ASSIGN(const int64_t newest, table_->Newest());
  EXPECT_EQ(newest, 1);
  EXPECT_THAT(List("w", newest), IsEmpty());
}

TEST_F(VersionTableTest, ALaterFormIsRefused) {
  ASSERT_OK(connection_->Execute("PRAGMA user_version=99"));
  EXPECT_THAT(VersionTable::Open(*connection_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("later version")));
}

// Compares random histories with a plain model: the state at every revision, and every change after
// every revision, before and after the past is dropped.
TEST_F(VersionTableTest, RandomHistoriesReadAsTheyWereWritten) {
  std::mt19937 random(7);
  std::vector<std::map<std::string, std::string>> states{{}, {}};
  for (int i = 0; i < 300; ++i) {
    std::map<std::string, std::string> next = states.back();
    const std::string key(1, static_cast<char>('a' + random() % 6));
    if (next.count(key) > 0 && random() % 3 == 0) {
      Remove("w", key);
      next.erase(key);
    } else {
      const std::string body = std::to_string(i);
      Put("w", key, body);
      next[key] = body;
    }
    states.push_back(std::move(next));
  }
  const auto check = [&](int64_t from) {
    for (int64_t revision = from; revision <= revision_; ++revision) {
      std::vector<std::string> expected;
      for (const auto& [key, body] : states[static_cast<size_t>(revision)]) {
        expected.push_back(key + "=" + body);
      }
      ASSERT_EQ(List("w", revision), expected) << revision;
    }
    std::map<std::string, std::string> replayed = states[static_cast<size_t>(from)];
    ASSERT_OK_AND_ASSIGN(const std::vector<Change> changes,
                         table_->Changes("", from, revision_, kMany, kBytes));
    for (const Change& change : changes) {
      const auto before = replayed.find(change.key);
      ASSERT_EQ(change.previous.has_value(), before != replayed.end());
      if (change.previous) {
        ASSERT_EQ(*change.previous, before->second);
      }
      if (change.body) {
        replayed[change.key] = *change.body;
      } else {
        replayed.erase(change.key);
      }
    }
    ASSERT_EQ(replayed, states.back());
  };
  check(1);
  for (const int64_t upto : {40, 170, 300}) {
    bool more = true;
    while (more) {
      ASSERT_OK_AND_ASSIGN(more, table_->Compact(upto, 7));
    }
    check(upto);
  }
}

TEST(ConnectionTest, AFileThatIsNoDatabaseIsDamaged) {
  const TestDirectory directory;
  const std::string path = directory.path() + "/db";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  for (int i = 0; i < 1000; ++i) std::fputs("this is no database\n", file);
  std::fclose(file);
  EXPECT_THAT(Connection::Open(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
}

TEST(ConnectionTest, AFullDatabaseSaysSo) {
  const TestDirectory directory;
  ASSERT_OK_AND_ASSIGN(const auto connection, Connection::Open(directory.path() + "/db"));
  ASSERT_OK_AND_ASSIGN(const auto table, VersionTable::Open(*connection));
  ASSERT_OK(table->LimitPages(40));
  absl::Status status = absl::OkStatus();
  int64_t written = 1;
  while (status.ok() && written < 10'000) {
    status = table->Put("w", "key", written + 1, std::string(5000, 'x'), {});
    if (status.ok()) ++written;
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(table->Newest(), IsOkAndHolds(written));
}

}  // namespace
}  // namespace steward::storage
