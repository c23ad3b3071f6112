#include "storage/embedded/dump/dump_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steward::storage {
namespace {

using Sort = DumpProblem::Sort;

TEST(DumpSummaryTest, SaysWhatThereIsAndWhatIsWrong) {
  DumpSummary summary;
  summary.files = 3;
  summary.objects = {
      {"namespaces", 10}, {"pods", 4}, {"clusterserviceversions.operators.coreos.com", 5}};
  summary.copies = 3;
  summary.computed = 1;
  summary.Add({Sort::kMissing, "b.yaml:3", "ClusterServiceVersion a/b"});
  summary.Add({Sort::kCutOff, "a.yaml:1", "is \x1b[2J\nempty"});
  EXPECT_EQ(summary.ToText("dump", 2),
            "dump: 19 objects in 3 files\n"
            "  2 clusterserviceversions.operators.coreos.com, and 3 copies that OLM made\n"
            "  10 namespaces\n"
            "  and 4 objects of 1 more resource\n"
            "1 object is left out that Steward had computed: they are computed here, too\n"
            "1 file is cut off:\n"
            "  a.yaml:1: is \\x1b[2J empty\n"
            "1 object is missing:\n"
            "  b.yaml:3: ClusterServiceVersion a/b\n");
}

TEST(DumpSummaryTest, NothingInItSteersATerminal) {
  DumpSummary summary;
  summary.objects = {
      {"\xC2\x9B"
       "31m",
       1}};
  summary.Add({Sort::kUnknown,
               "a\xE2\x80\xAE"
               "b",
               "\xE2\x81\xA6x\xE2\x80\x8F\x9B"});
  EXPECT_EQ(summary.ToText("\x1B]0;d", 1),
            "\\x1b]0;d: 1 object in 0 files\n"
            "  1 \\x9b31m\n"
            "1 kind is left out, which neither a definition nor a path describes:\n"
            "  a\\u{202e}b: \\u{2066}x\\u{200f}\xEF\xBF\xBD\n");
}

TEST(DumpSummaryTest, CountsWhatAPartDoesNotKeep) {
  DumpPart part;
  for (size_t i = 0; i < DumpPart::kKept + 5; ++i) part.Add({Sort::kUnreadable, "x:1", "y"});
  DumpSummary summary;
  summary.Add(part);
  EXPECT_EQ(summary.problems.at(Sort::kUnreadable).count, DumpPart::kKept + 5);
  EXPECT_EQ(summary.problems.at(Sort::kUnreadable).kept.size(), DumpPart::kKept);
}

TEST(DumpSummaryTest, CountsWhatItDoesNotShow) {
  DumpSummary summary;
  for (size_t i = 0; i < DumpSummary::kKept + 5; ++i) summary.Add({Sort::kDuplicate, "x:1", "y"});
  EXPECT_EQ(summary.ToText("d", 1),
            "d: 0 objects in 0 files\n"
            "1005 objects are there more than once:\n"
            "  x:1: y\n"
            "  and 1004 more\n");
}

}  // namespace
}  // namespace steward::storage
