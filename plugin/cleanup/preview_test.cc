#include "plugin/cleanup/preview.h"

#include "base/status/matchers.h"
#include "olm/csv_facts.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace {

TEST(CourseTest, WhatIsToBeDone) {
  struct Case {
    const char* name;
    Wish wish;
    bool enabled;
    bool opted_in;
    bool deleting;
    bool refused;
    bool deletes;
    bool opt_in;
    bool opt_out;
  };
  for (const Case& c : {
           Case{"nothing said", Wish::kAsItIs, true, false, false, false, false, false, false},
           Case{"opted in before", Wish::kAsItIs, true, true, false, false, true, false, false},
           Case{"opted in, unsupported", Wish::kAsItIs, false, true, false, false, false, false,
                false},
           Case{"--cleanup", Wish::kDelete, true, false, false, false, true, true, false},
           Case{"--cleanup again", Wish::kDelete, true, true, false, false, true, false, false},
           Case{"--cleanup, unsupported", Wish::kDelete, false, false, false, true, false, false,
                false},
           Case{"--keep", Wish::kKeep, true, true, false, false, false, false, true},
           Case{"--keep, nobody opted in", Wish::kKeep, true, false, false, false, false, false,
                false},
           Case{"going", Wish::kAsItIs, true, true, true, false, true, false, false},
           Case{"going, --cleanup", Wish::kDelete, true, true, true, false, true, false, false},
           Case{"too late to opt in", Wish::kDelete, true, false, true, true, false, false, false},
           Case{"too late to keep", Wish::kKeep, true, true, true, true, false, false, false},
       }) {
    SCOPED_TRACE(c.name);
    olm::CsvFacts facts;
    facts.cleanup_enabled = c.enabled;
    if (c.opted_in) facts.finalizers = {"operatorframework.io/delete-custom-resources"};
    if (c.deleting) facts.deletion_timestamp = "2023-11-14T22:13:20Z";
    const absl::StatusOr<Course> course = CourseFor(c.wish, facts);
    EXPECT_EQ(ExitOf(course.status()), c.refused ? Exit::kRefused : Exit::kDone);
    if (!course.ok()) continue;
    EXPECT_EQ(course->deletes_operands, c.deletes);
    EXPECT_EQ(course->opt_in, c.opt_in);
    EXPECT_EQ(course->opt_out, c.opt_out);
  }
}

}  // namespace
}  // namespace steward::plugin
