#include "olm/payload/payload_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "absl/time/time.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const absl::Time kTime = absl::FromUnixSeconds(1'600'000'000);

Removal Of(const std::string& name, RemovalState state, const std::string& note = "") {
  return {{"apps", "Deployment", "n", name}, "uid-" + name, true, state, kTime, "4.5.1", note};
}
PayloadRecord Record() {
  PayloadRecord record;
  record.version = "4.5.1";
  record.hash = "00ff";
  record.state = PayloadState::kReconciling;
  record.completed = kTime;
  for (const Removal& each :
       {Of("a", RemovalState::kCompleted), Of("b", RemovalState::kOngoing),
        Of("c", RemovalState::kReappeared), Of("d", RemovalState::kFailed, "no right")}) {
    record.removals[each.identity] = each;
  }
  return record;
}

TEST(PayloadRecordTest, WhatIsWrittenIsRead) {
  const PayloadRecord record = Record();
  ASSERT_OK_AND_ASSIGN(const boost::json::object data, WritePayloadRecord(record));
  ASSERT_OK_AND_ASSIGN(const PayloadRecord read, ReadPayloadRecord(data));
  EXPECT_EQ(read.version, "4.5.1");
  EXPECT_EQ(read.hash, "00ff");
  EXPECT_EQ(read.state, PayloadState::kReconciling);
  EXPECT_EQ(read.completed, kTime);
  EXPECT_EQ(read.removals, record.removals);
  EXPECT_EQ(data.at("upgradeable"), "False");
  EXPECT_EQ(data.at("reason"), "ResourceDeletesInProgress");
  ASSERT_OK_AND_ASSIGN(const PayloadRecord none, ReadPayloadRecord({}));
  EXPECT_EQ(none.version, "");
  ASSERT_OK_AND_ASSIGN(const boost::json::object empty, WritePayloadRecord(none));
  EXPECT_EQ(empty.at("upgradeable"), "True");
  EXPECT_EQ(empty.at("reason"), "");
}

TEST(PayloadRecordTest, R_003_20_WhatHoldsIsNamed) {
  EXPECT_THAT(
      Record().Holding(),
      ElementsAre(R"(Deployment.apps "n/b" (Ongoing since 2020-09-13T12:26:40Z))",
                  R"(Deployment.apps "n/d" (Failed since 2020-09-13T12:26:40Z: no right))"));
  EXPECT_THAT(HoldingSentence(Record()), AllOf(HasSubstr("n/b"), HasSubstr("n/d")));
  EXPECT_THAT(HoldingSentence(Record()), AllOf(Not(HasSubstr("n/a")), Not(HasSubstr("n/c"))));
  EXPECT_THAT(HoldingSentence(PayloadRecord()), IsEmpty());
}

TEST(PayloadRecordTest, NothingElseIsARecord) {
  const std::string removal =
      R"({"kind":"A","name":"b","uid":"u","state":"Ongoing","since":"2020-01-02T03:04:05Z"})";
  const auto record = [](const std::string& state, const std::string& removals) {
    return boost::json::object{{"version", "1.0.0"}, {"state", state}, {"removals", removals}};
  };
  EXPECT_OK(ReadPayloadRecord(record("Updating", StrCat("[", removal, "]"))));
  for (const char* removals :
       {"", "{}", "[", "[1]", "[{}]", R"([{"kind":"A","name":"b","state":"Ongoing"}])",
        R"([{"kind":"A","name":"b","uid":"u","state":"Gone","since":"2020-01-02T03:04:05Z"}])",
        R"([{"kind":"A","name":"b","uid":"","state":"Ongoing","since":"2020-01-02T03:04:05Z"}])",
        R"([{"kind":"A","name":"b","uid":"u","state":"Ongoing","since":"yesterday"}])"}) {
    EXPECT_THAT(ReadPayloadRecord(record("Updating", removals)),
                StatusIs(absl::StatusCode::kDataLoss))
        << removals;
  }
  EXPECT_THAT(ReadPayloadRecord(record("Upgrading", "[]")), StatusIs(absl::StatusCode::kDataLoss));
  boost::json::object completed = record("Updating", "[]");
  completed["completed"] = "soon";
  EXPECT_THAT(ReadPayloadRecord(completed), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(PayloadRecordTest, IsBounded) {
  PayloadRecord record;
  for (size_t i = 0; i <= kMaxRecordedRemovals; ++i) {
    if (i == kMaxRemovals) {
      EXPECT_OK(WritePayloadRecord(record));
    }
    const Removal removal = Of(StrCat("x", i), RemovalState::kOngoing, std::string(1000, 'n'));
    record.removals[removal.identity] = removal;
  }
  EXPECT_THAT(WritePayloadRecord(record), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_LE(HoldingSentence(record).size(), 1024);
}

TEST(PayloadRecordTest, R_003_54_TheHashIsThatOfVersionAndContents) {
  PayloadManifest a;
  a.file = "a.yaml";
  a.object = boost::json::parse(R"({"kind":"A"})").as_object();
  PayloadManifest b = a;
  b.file = "b.yaml";
  PayloadManifest changed = a;
  changed.object["x"] = 1;
  const std::string hash = PayloadHash("1.0.0", {a, b});
  EXPECT_EQ(hash.size(), 64);
  EXPECT_EQ(hash, PayloadHash("1.0.0", {a, b}));
  EXPECT_NE(hash, PayloadHash("1.0.1", {a, b}));
  EXPECT_NE(hash, PayloadHash("1.0.0", {b, a}));
  EXPECT_NE(hash, PayloadHash("1.0.0", {a}));
  EXPECT_NE(hash, PayloadHash("1.0.0", {changed, b}));
}

}  // namespace
}  // namespace steward::olm
