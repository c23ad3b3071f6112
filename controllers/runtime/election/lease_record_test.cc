#include "controllers/runtime/election/lease_record.h"

#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::controllers {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr char kNowText[] = "2023-11-14T22:13:20.000000Z";

TEST(LeaseRecordTest, ReadsWhatIsThere) {
  const std::pair<const char*, LeaseRecord> rows[] = {
      {R"({"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"t1",)"
       R"("renewTime":"t2","leaseTransitions":3}})",
       {"a", 15, "t1", "t2", 3}},
      {R"({})", {}},
      {R"([])", {}},
      {R"({"spec":null})", {}},
      {R"({"spec":{"holderIdentity":null,"leaseDurationSeconds":"x","renewTime":7}})", {}},
      {R"({"spec":{"leaseDurationSeconds":-5,"leaseTransitions":-1}})", {}},
  };
  for (const auto& [text, expected] : rows) {
    ASSERT_OK_AND_ASSIGN(const boost::json::value lease, ParseJson(text));
    EXPECT_EQ(ReadLease(lease), expected) << text;
  }
}

TEST(LeaseRecordTest, WritingKeepsEverythingElse) {
  ASSERT_OK_AND_ASSIGN(boost::json::value lease,
                       ParseJson(R"({"metadata":{"resourceVersion":"7","labels":{"a":"b"}},)"
                                 R"("spec":{"strategy":"OldestEmulationVersion"}})"));
  const LeaseRecord record = {"a", 15, "t1", "t2", 3};
  WriteLease(record, lease);
  EXPECT_EQ(ReadLease(lease), record);
  EXPECT_EQ(lease.at("spec").at("strategy").as_string(), "OldestEmulationVersion");
  EXPECT_EQ(lease.at("metadata").at("labels").at("a").as_string(), "b");
  EXPECT_EQ(lease.at("metadata").at("resourceVersion").as_string(), "7");
}

TEST(LeaseRecordTest, NewLease) {
  const boost::json::value lease = NewLease({"ns", "l"}, {"a", 15, "t", "t", 0});
  EXPECT_EQ(Serialize(lease),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
            R"("metadata":{"name":"l","namespace":"ns"},)"
            R"("spec":{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"t",)"
            R"("renewTime":"t","leaseTransitions":0}})");
}

TEST(LeaseRecordTest, HoldersAndTransitions) {
  const struct {
    const char* what;
    LeaseRecord current;
    LeaseRecord expected;
  } rows[] = {
      {"a new Lease", {}, {"me", 15, kNowText, kNowText, 0}},
      {"a renewal", {"me", 15, "t1", "t2", 3}, {"me", 15, "t1", kNowText, 3}},
      {"a takeover", {"you", 60, "t1", "t2", 3}, {"me", 15, kNowText, kNowText, 4}},
      {"after a release", {"", 1, "t1", "t2", 3}, {"me", 15, kNowText, kNowText, 4}},
      {"a clock set back",
       {"me", 15, "t1", kNowText, 3},
       {"me", 15, "t1", "2023-11-14T22:13:20.000001Z", 3}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(HeldBy("me", row.current, absl::Seconds(15), kNow), row.expected) << row.what;
  }
}

TEST(LeaseRecordTest, Released) {
  EXPECT_EQ(Released({"me", 15, "t1", "t2", 3}, kNow), (LeaseRecord{"", 1, kNowText, kNowText, 3}));
}

}  // namespace
}  // namespace steward::controllers
