#include "olm/targets.h"

#include <string>
#include <vector>

#include "base/status/matchers.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;

OperatorGroup Group(std::vector<std::string> list, const char* selector = nullptr) {
  OperatorGroup group;
  group.target_namespaces = std::move(list);
  if (selector != nullptr) group.selector = *kube::LabelSelector::Parse(selector);
  return group;
}

TEST(TargetsTest, ListSelectorOrAll) {
  OperatorGroup broken = Group({"a", ""});
  broken.invalid = "names an empty namespace";
  struct Row {
    const char* name;
    OperatorGroup group;
    TargetKind kind;
    bool targets_a;        // namespace a, labelled team=red
    bool targets_unnamed;  // namespace b, no labels
  };
  const Row rows[] = {
      {"no spec: all", Group({}), TargetKind::kAll, true, true},
      {"empty selector: all", Group({}, ""), TargetKind::kAll, true, true},
      {"list", Group({"a", "c"}), TargetKind::kList, true, false},
      {"list wins over selector", Group({"b"}, "team=red"), TargetKind::kList, false, true},
      {"selector", Group({}, "team=red"), TargetKind::kSelector, true, false},
      {"selector that matches nothing", Group({}, "team=blue"), TargetKind::kSelector, false,
       false},
      {"negative selector", Group({}, "!team"), TargetKind::kSelector, false, true},
      {"invalid", broken, TargetKind::kNone, false, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(KindOfTargets(row.group), row.kind);
    EXPECT_EQ(Targets(row.group, "a", {{"team", "red"}}), row.targets_a);
    EXPECT_EQ(Targets(row.group, "b", {}), row.targets_unnamed);
  }
}

constexpr TargetSummary kAll = {.all = true};
constexpr TargetSummary kNothing = {};
constexpr TargetSummary kOwn = {.count = 1, .includes_own = true};
constexpr TargetSummary kOther = {.count = 1};
constexpr TargetSummary kTwo = {.count = 2};
constexpr TargetSummary kTwoWithOwn = {.count = 2, .includes_own = true};

TEST(InstallModeTest, ModeFollowsFromTargets) {
  EXPECT_EQ(ModeFor(kAll), InstallMode::kAllNamespaces);
  EXPECT_EQ(ModeFor(kNothing), std::nullopt);
  EXPECT_EQ(ModeFor(kOwn), InstallMode::kOwnNamespace);
  EXPECT_EQ(ModeFor(kOther), InstallMode::kSingleNamespace);
  EXPECT_EQ(ModeFor(kTwo), InstallMode::kMultiNamespace);
  EXPECT_EQ(ModeFor(kTwoWithOwn), InstallMode::kMultiNamespace);
}

TEST(InstallModeTest, Support) {
  using enum InstallMode;
  struct Row {
    const char* name;
    std::vector<InstallModeSupport> modes;
    TargetSummary targets;
    absl::StatusCode code;
    const char* message;
  };
  const absl::StatusCode ok = absl::StatusCode::kOk;
  const absl::StatusCode unsupported = absl::StatusCode::kFailedPrecondition;
  const Row rows[] = {
      {"all", {{kAllNamespaces, true}}, kAll, ok, ""},
      {"all not",
       {{kAllNamespaces, false}, {kOwnNamespace, true}},
       kAll,
       unsupported,
       "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces"},
      {"own", {{kOwnNamespace, true}}, kOwn, ok, ""},
      {"own not",
       {{kSingleNamespace, true}},
       kOwn,
       unsupported,
       "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"},
      {"single", {{kSingleNamespace, true}}, kOther, ok, ""},
      {"single unnamed",
       {},
       kOther,
       unsupported,
       "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace"},
      {"multi", {{kMultiNamespace, true}}, kTwo, ok, ""},
      {"multi not",
       {{kMultiNamespace, false}},
       kTwo,
       unsupported,
       "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces"},
      {"multi with own needs both",
       {{kMultiNamespace, true}},
       kTwoWithOwn,
       unsupported,
       "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"},
      {"multi with own", {{kMultiNamespace, true}, {kOwnNamespace, true}}, kTwoWithOwn, ok, ""},
      {"nothing",
       {{kAllNamespaces, true}},
       kNothing,
       absl::StatusCode::kNotFound,
       "no targetNamespaces"},
      {"named twice",
       {{kAllNamespaces, true}, {kAllNamespaces, true}},
       kAll,
       absl::StatusCode::kInvalidArgument,
       "duplicates"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(CheckInstallModes(row.modes, row.targets),
                StatusIs(row.code, HasSubstr(row.message)));
  }
}

}  // namespace
}  // namespace steward::olm
