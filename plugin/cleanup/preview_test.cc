#include "plugin/cleanup/preview.h"

#include "base/status/matchers.h"
#include "olm/csv_facts.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace {

TEST(CourseTest, WhatIsToBeDone) {
  struct Case {
    const char* name;
    OperandPolicy policy;
    bool enabled;
    bool opted_in;
    bool deleting;
    bool refused;
    bool deletes;
    bool opt_in;
    bool opt_out;
  };
  for (const Case& c : {
           Case{"nothing said", OperandPolicy::kAsItIs, true, false, false, false, false, false,
                false},
           Case{"opted in before", OperandPolicy::kAsItIs, true, true, false, false, true, false,
                false},
           Case{"opted in, unsupported", OperandPolicy::kAsItIs, false, true, false, false, false,
                false, false},
           Case{"--cleanup", OperandPolicy::kDelete, true, false, false, false, true, true, false},
           Case{"--cleanup again", OperandPolicy::kDelete, true, true, false, false, true, false,
                false},
           Case{"--cleanup, unsupported", OperandPolicy::kDelete, false, false, false, true, false,
                false, false},
           Case{"--keep", OperandPolicy::kKeep, true, true, false, false, false, false, true},
           Case{"--keep, nobody opted in", OperandPolicy::kKeep, true, false, false, false, false,
                false, false},
           Case{"going", OperandPolicy::kAsItIs, true, true, true, false, true, false, false},
           Case{"going, --cleanup", OperandPolicy::kDelete, true, true, true, false, true, false,
                false},
           Case{"too late to opt in", OperandPolicy::kDelete, true, false, true, true, false, false,
                false},
           Case{"too late to keep", OperandPolicy::kKeep, true, true, true, true, false, false,
                false},
       }) {
    SCOPED_TRACE(c.name);
    olm::CsvFacts facts;
    facts.cleanup_enabled = c.enabled;
    if (c.opted_in) facts.finalizers = {"operatorframework.io/delete-custom-resources"};
    if (c.deleting) facts.deletion_timestamp = "2023-11-14T22:13:20Z";
    const absl::StatusOr<OptInChange> opt_in_change = OptInChangeFor(c.policy, facts);
    EXPECT_EQ(ExitOf(opt_in_change.status()), c.refused ? Exit::kRefused : Exit::kDone);
    if (!opt_in_change.ok()) continue;
    EXPECT_EQ(opt_in_change->deletes_operands, c.deletes);
    EXPECT_EQ(opt_in_change->opt_in, c.opt_in);
    EXPECT_EQ(opt_in_change->opt_out, c.opt_out);
  }
}

}  // namespace
}  // namespace steward::plugin
