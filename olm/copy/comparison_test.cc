#include "olm/copy/comparison.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "olm/copy/slot.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"

namespace steward::olm {
namespace {

using Global = CopyPolicy::Global;

CsvPtr Make(bool deleting) {
  auto csv = std::make_shared<Csv>();
  csv->key = {"ops", "etcd.v1"};
  csv->phase = "Succeeded";
  csv->reason = "InstallSucceeded";
  auto cleanup = std::make_shared<CsvCleanup>();
  if (deleting) cleanup->facts.deletion_timestamp = "2026-02-01T00:00:00Z";
  csv->cleanup = std::move(cleanup);
  return csv;
}

TEST(ComparisonTest, EachSlotHasOneFinding) {
  using Finding = SlotFinding;
  const OperatorGroup all;
  OperatorGroup some;
  some.target_namespaces = {"red"};
  enum class Copy { kNone, kOfIt, kOfNobody };
  struct Row {
    const char* name;
    const OperatorGroup* group;  // null: there is none, or there are several
    bool deleting;
    Copy copy;
    Global global;
    Finding want;
  };
  for (const Row& row : {
           Row{"missing", &all, false, Copy::kNone, Global::kCopied, Finding::kMissing},
           Row{"there", &all, false, Copy::kOfIt, Global::kCopied, Finding::kRight},
           Row{"turned off, gone", &all, false, Copy::kNone, Global::kNotCopied, Finding::kOther},
           Row{"turned off", &all, false, Copy::kOfIt, Global::kNotCopied, Finding::kUnwanted},
           Row{"not known", &all, false, Copy::kOfIt, Global::kUnknown, Finding::kRight},
           Row{"not known, none", &all, false, Copy::kNone, Global::kUnknown, Finding::kOther},
           Row{"being deleted", &all, true, Copy::kOfIt, Global::kNotCopied,
               Finding::kLeftByDeletion},
           Row{"no group", nullptr, false, Copy::kOfIt, Global::kNotCopied,
               Finding::kLeftWithoutGroup},
           Row{"no group, on", nullptr, false, Copy::kOfIt, Global::kCopied, Finding::kOther},
           Row{"original gone", &some, false, Copy::kOfNobody, Global::kNotCopied, Finding::kOther},
           Row{"of an operator for some", &some, false, Copy::kOfIt, Global::kNotCopied,
               Finding::kOther},
           Row{"missing of an operator for some", &some, false, Copy::kNone, Global::kCopied,
               Finding::kOther},
       }) {
    SCOPED_TRACE(row.name);
    const CsvPtr csv = Make(row.deleting);
    const std::vector<Original> originals = {{csv.get(), row.group}};
    SeenSlot seen;
    seen.has_copy = row.copy != Copy::kNone;
    if (row.copy == Copy::kOfIt) seen.copied = &originals.front();
    CopyPolicy policy;
    policy.global = row.global;
    Namespace red;
    red.name = "red";
    const ComparedSlot compared = CompareSlot(red, originals, seen, policy);
    EXPECT_EQ(compared.finding, row.want);
    EXPECT_EQ(compared.original, row.want == Finding::kOther ? nullptr : csv.get());
    const bool left =
        row.want == Finding::kLeftByDeletion || row.want == Finding::kLeftWithoutGroup;
    EXPECT_EQ(!WhyItStays(compared.finding).empty(), left);
  }
}

TEST(ComparisonTest, ACopyThatNobodyExplains) {
  Namespace red;
  red.name = "red";
  SeenSlot seen;
  seen.has_copy = true;
  EXPECT_EQ(CompareSlot(red, {}, seen, {}).finding, SlotFinding::kOrphan);
  red.terminating = true;
  EXPECT_EQ(CompareSlot(red, {}, seen, {}).finding, SlotFinding::kOther);
}

TEST(ComparisonTest, ACensusAddsUp) {
  CopyCounts counts;
  for (const SlotFinding finding :
       {SlotFinding::kOther, SlotFinding::kRight, SlotFinding::kMissing, SlotFinding::kUnwanted,
        SlotFinding::kLeftByDeletion, SlotFinding::kLeftWithoutGroup, SlotFinding::kOrphan}) {
    counts.Add(finding);
  }
  counts += counts;
  EXPECT_EQ(counts.right, 2u);
  EXPECT_EQ(counts.missing, 2u);
  EXPECT_EQ(counts.unexpected, 4u);
  EXPECT_EQ(counts.unexplained, 4u);
}

}  // namespace
}  // namespace steward::olm
