#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "olm/cleanup/test_inputs.h"
#include "olm/cleanup/verdict.h"

namespace steward::olm {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Matcher;
using ::testing::Not;
using Reason = CleanupReason;

// The time of TestCsv's deletion.
const absl::Time kDeleted = absl::FromCivil(absl::CivilSecond(2026, 1, 1), absl::UTCTimeZone());

struct WordsCase {
  const char* name;
  std::function<void(CleanupInputs&)> change;
  Reason reason;
  Matcher<std::string> says;
};

DepartedCsv Departed(const std::string& name, absl::Duration ago) {
  CsvFacts csv = OtherCsv("far", name);
  csv.owned_crds = {"widgets.example.com"};
  return {std::move(csv), ago};
}

const WordsCase kCases[] = {
    {"R_000_60_AnOwnerThatIsGone",
     [](auto& in) { in.departed = {Departed("gone.v1", absl::Milliseconds(12'900))}; },
     Reason::kSharedOwner,
     AllOf(HasSubstr("was uninstalled 12 s ago"), HasSubstr("delete them yourself"))},
    {"R_000_60_BeforeItIsUninstalledItself",
     [](auto& in) {
       in.csv->deletion_timestamp = "";
       in.departed = {Departed("gone.v1", absl::Seconds(12))};
     },
     Reason::kSharedOwner, HasSubstr("uninstall this operator after that")},
    {"R_000_60_TheLastOfSeveralCounts",
     [](auto& in) {
       in.departed = {Departed("a.v1", absl::Seconds(50)), Departed("b.v1", absl::Seconds(7))};
     },
     Reason::kSharedOwner, HasSubstr("uninstalled 7 s ago")},
    {"R_000_60_AnotherIsStillThere",
     [](auto& in) {
       in.departed = {Departed("gone.v1", absl::Seconds(12))};
       in.csvs->push_back(Departed("there.v1", absl::ZeroDuration()).csv);
     },
     Reason::kSharedOwner, "other operators own the same definitions"},
    {"R_000_60_ItCameBack",
     [](auto& in) {
       in.departed = {Departed("gone.v1", absl::Seconds(12))};
       in.csvs->push_back(in.departed.front().csv);
     },
     Reason::kSharedOwner, "other operators own the same definitions"},
    {"R_000_61_ARequirerThatIsGone",
     [](auto& in) {
       in.departed = {Departed("gone.v1", absl::Seconds(3))};
       std::swap(in.departed.front().csv.owned_crds, in.departed.front().csv.required_crds);
     },
     Reason::kRequiredByOther,
     HasSubstr("that required the same definitions was uninstalled 3 s ago")},
    {"R_000_75_TheSameSecond", [](auto& in) { in.install_namespace->created = kDeleted; },
     Reason::kInstallNamespaceTerminating,
     AllOf(HasSubstr("in the second in which namespace ops was made"),
           HasSubstr("equal timestamps prove no order"))},
    {"R_000_75_ASecondLater",
     [](auto& in) { in.install_namespace->created = kDeleted + absl::Seconds(1); },
     Reason::kInstallNamespaceTerminating, "it was deleted before namespace ops was made anew"},
    {"R_000_77_TheSameSecond", [](auto& in) { in.csv_definition->created = kDeleted; },
     Reason::kCsvDefinitionTerminating, HasSubstr("equal timestamps prove no order")},
    {"R_000_77_ASecondLater",
     [](auto& in) { in.csv_definition->created = kDeleted + absl::Seconds(1); },
     Reason::kCsvDefinitionTerminating, Not(HasSubstr("equal timestamps"))},
};

class WordsTest : public ::testing::TestWithParam<WordsCase> {};

TEST_P(WordsTest, Blocker) {
  CleanupInputs inputs = AllowedInputs();
  GetParam().change(inputs);
  const Verdict verdict = CleanupVerdict(inputs);
  ASSERT_EQ(verdict.blockers.size(), 1u);
  EXPECT_EQ(verdict.blockers[0].reason, GetParam().reason);
  EXPECT_THAT(verdict.blockers[0].message, GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(All, WordsTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(VerdictWordsTest, EveryReasonHasAName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Reason::kCopiesLeft); ++i) {
    names.insert(ToString(static_cast<Reason>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(Reason::kCopiesLeft) + 1);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace steward::olm
