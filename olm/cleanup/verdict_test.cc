#include "olm/cleanup/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/opt_in.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/test_inputs.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using Kind = CleanupVerdictKind;
using Reason = CleanupReason;

std::vector<Reason> ReasonsOf(const Verdict& verdict) {
  std::vector<Reason> reasons;
  for (const CleanupBlocker& blocker : verdict.blockers) reasons.push_back(blocker.reason);
  return reasons;
}

std::string RecordOf(const std::vector<std::string>& targets,
                     const std::string& csv_uid = "csv-uid",
                     const std::string& group_uid = "group-uid") {
  return EncodeRecord(
      {targets == std::vector<std::string>{"*"} ? TargetSet::All() : TargetSet::Of(targets),
       csv_uid,
       group_uid,
       {{"gadgets.example.com", {"uid-of-gadgets", "", {}}},
        {"widgets.example.com", {"uid-of-widgets", "", {}}}}});
}

TEST(VerdictTest, AllowedWithWhatIsToBeRecorded) {
  const Verdict verdict = CleanupVerdict(AllowedInputs());
  EXPECT_EQ(verdict.kind, Kind::kAllowed);
  EXPECT_EQ(verdict.targets, TargetSet::Of({"a", "b"}));
  ASSERT_TRUE(verdict.to_record.has_value());
  EXPECT_EQ(EncodeRecord(*verdict.to_record),
            R"({"targets":["a","b"],"csvUID":"csv-uid","operatorGroupUID":"group-uid",)"
            R"("definitions":{"gadgets.example.com":"uid-of-gadgets",)"
            R"("widgets.example.com":"uid-of-widgets"}})");
}

TEST(VerdictTest, ARecordIsNotMadeAnew) {
  CleanupInputs inputs = AllowedInputs();
  inputs.csv->record = RecordOf({"a"});
  const Verdict verdict = CleanupVerdict(inputs);
  EXPECT_EQ(verdict.kind, Kind::kAllowed);
  EXPECT_EQ(verdict.targets, TargetSet::Of({"a"}));
  EXPECT_FALSE(verdict.to_record.has_value());
}

struct GuardCase {
  const char* name;
  std::function<void(CleanupInputs&)> spoil;
  Kind kind;
  Reason reason;
};

// The time at which TestCsv() was deleted.
const absl::Time kDeleted = absl::FromCivil(absl::CivilSecond(2026, 1, 1), absl::UTCTimeZone());

class GuardTest : public ::testing::TestWithParam<GuardCase> {};

TEST_P(GuardTest, Guards) {
  CleanupInputs inputs = AllowedInputs();
  GetParam().spoil(inputs);
  const Verdict verdict = CleanupVerdict(inputs);
  EXPECT_EQ(verdict.kind, GetParam().kind) << ToString(verdict.kind);
  EXPECT_THAT(ReasonsOf(verdict), ElementsAre(GetParam().reason));
  EXPECT_TRUE(verdict.targets.empty());
  EXPECT_FALSE(verdict.to_record.has_value());
  EXPECT_FALSE(verdict.blockers.front().message.empty());
}

void AddOther(CleanupInputs& inputs, const std::function<void(CsvFacts&)>& change) {
  CsvFacts other = OtherCsv("far", "second.v1");
  change(other);
  inputs.csvs->push_back(other);
}

const GuardCase kRefusals[] = {
    {"R_000_40_Disabled", [](auto& in) { in.csv->cleanup_enabled = false; }, Kind::kRefused,
     Reason::kNotSupported},
    {"R_000_38_NoFinalizer", [](auto& in) { in.csv->finalizers.clear(); }, Kind::kRefused,
     Reason::kNotOptedIn},
    {"R_000_38_OnlyTheLegacyFinalizer",
     [](auto& in) { in.csv->finalizers = {std::string(kLegacyCleanupFinalizer)}; }, Kind::kRefused,
     Reason::kNotOptedIn},
    {"R_000_46_Replacing", [](auto& in) { in.csv->phase = "Replacing"; }, Kind::kRefused,
     Reason::kPhaseNotSucceeded},
    {"R_000_46_Deleting", [](auto& in) { in.csv->phase = "Deleting"; }, Kind::kRefused,
     Reason::kPhaseNotSucceeded},
    {"R_000_46_Failed", [](auto& in) { in.csv->phase = "Failed"; }, Kind::kRefused,
     Reason::kPhaseNotSucceeded},
    {"R_000_46_NoPhase", [](auto& in) { in.csv->phase = ""; }, Kind::kRefused,
     Reason::kPhaseNotSucceeded},
    {"R_000_46_OtherCase", [](auto& in) { in.csv->phase = "succeeded"; }, Kind::kRefused,
     Reason::kPhaseNotSucceeded},
    {"R_000_72_Label", [](auto& in) { in.csv->copied_from = "else"; }, Kind::kRefused,
     Reason::kCopied},
    {"R_000_72_Reason", [](auto& in) { in.csv->reason = "Copied"; }, Kind::kRefused,
     Reason::kCopied},
    {"R_000_72_Annotation", [](auto& in) { in.csv->operator_namespace = "elsewhere"; },
     Kind::kRefused, Reason::kCopied},
    {"R_000_73b_Foreground",
     [](auto& in) { in.csv->finalizers.push_back(std::string(kForegroundFinalizer)); },
     Kind::kRefused, Reason::kOperatorGone},
    {"R_000_73b_DeploymentGone",
     [](auto& in) { in.deployments["widget-operator"] = Read<DeploymentFacts>::Absent(); },
     Kind::kRefused, Reason::kOperatorGone},
    {"R_000_73b_DeploymentDeleting",
     [](auto& in) { in.deployments["widget-operator"] = Read<DeploymentFacts>::Ok({true}); },
     Kind::kRefused, Reason::kOperatorGone},
    {"OrphanRequested",
     [](auto& in) { in.csv->finalizers.push_back(std::string(kOrphanFinalizer)); }, Kind::kRefused,
     Reason::kOrphanRequested},
    {"ConsoleOptOut", [](auto& in) { in.csv->opt_out = "true"; }, Kind::kRefused,
     Reason::kOperandDeleteDisabled},
    {"ConsoleOptOutInOtherWords", [](auto& in) { in.csv->opt_out = "yes"; }, Kind::kRefused,
     Reason::kOperandDeleteDisabled},
    {"R_000_77_HasOwners", [](auto& in) { in.csv->owners = {"ConfigMap settings"}; },
     Kind::kRefused, Reason::kHasOwners},
    {"InvalidSpec", [](auto& in) { in.csv->malformed = "no name"; }, Kind::kRefused,
     Reason::kInvalidSpec},
    {"OwnsOLMKinds",
     [](auto& in) {
       in.csv->owned_crds = {"clusterserviceversions.operators.coreos.com"};
       in.crds["clusterserviceversions.operators.coreos.com"] = Read<CrdFacts>::Absent();
     },
     Kind::kRefused, Reason::kOwnsOlmKinds},
    {"OwnsStewardKinds",
     [](auto& in) {
       in.csv->owned_crds = {"cleanupstatuses.views.operators.coreos.com"};
       in.crds["cleanupstatuses.views.operators.coreos.com"] = Read<CrdFacts>::Absent();
     },
     Kind::kRefused, Reason::kOwnsOlmKinds},
    {"R_000_60_RefusedBefore", [](auto& in) { in.csv->refusal = ""; }, Kind::kRefused,
     Reason::kRefusedBefore},
    {"RecordInvalid", [](auto& in) { in.csv->record = R"({"targets":"*"})"; }, Kind::kRefused,
     Reason::kRecordInvalid},
    {"RecordOfAnotherObject", [](auto& in) { in.csv->record = RecordOf({"a"}, "other-uid"); },
     Kind::kRefused, Reason::kRecordOfAnotherObject},
    {"RecordRemoved",
     [](auto& in) {
       in.csv->record.reset();
       in.remembered = CleanupRecord{TargetSet::All(), "csv-uid", "group-uid", {}};
     },
     Kind::kRefused, Reason::kRecordRemoved},
    {"RecordRemovedBeforeThisProcessBegan", [](auto& in) { in.csv->said_waiting = true; },
     Kind::kRefused, Reason::kRecordRemoved},
    {"R_000_89_RightsReleased", [](auto& in) { in.csv->rights_released = "Completed"; },
     Kind::kRefused, Reason::kRightsReleased},
    {"R_000_77_DefinitionOfCsvsGone",
     [](auto& in) { in.csv_definition = Read<CsvDefinitionFacts>::Absent(); }, Kind::kRefused,
     Reason::kCsvDefinitionTerminating},
    {"R_000_77_DefinitionOfCsvsTerminating",
     [](auto& in) { in.csv_definition->terminating = true; }, Kind::kRefused,
     Reason::kCsvDefinitionTerminating},
    {"R_000_77_DefinitionOfCsvsMadeAnew",
     [](auto& in) { in.csv_definition->created = kDeleted + absl::Seconds(1); }, Kind::kRefused,
     Reason::kCsvDefinitionTerminating},
    {"R_000_77_DefinitionOfCsvsMadeAnewInTheSameSecond",
     [](auto& in) { in.csv_definition->created = kDeleted; }, Kind::kRefused,
     Reason::kCsvDefinitionTerminating},
    {"NobodyKnowsWhenItWasDeleted", [](auto& in) { in.csv->deletion_timestamp = "soon"; },
     Kind::kRefused, Reason::kCsvDefinitionTerminating},
    {"R_000_75_NamespaceGone",
     [](auto& in) { in.install_namespace = Read<InstallNamespaceFacts>::Absent(); }, Kind::kRefused,
     Reason::kInstallNamespaceTerminating},
    {"R_000_75_NamespaceTerminating", [](auto& in) { in.install_namespace->terminating = true; },
     Kind::kRefused, Reason::kInstallNamespaceTerminating},
    {"R_000_75_NamespaceMadeAnew",
     [](auto& in) { in.install_namespace->created = kDeleted + absl::Seconds(1); }, Kind::kRefused,
     Reason::kInstallNamespaceTerminating},
    {"R_000_75_NamespaceMadeAnewInTheSameSecond",
     [](auto& in) { in.install_namespace->created = kDeleted; }, Kind::kRefused,
     Reason::kInstallNamespaceTerminating},
    {"R_000_75_GroupMadeAnew",
     [](auto& in) { in.groups->front().created = kDeleted + absl::Seconds(1); }, Kind::kRefused,
     Reason::kOperatorGroupChanged},
    {"R_000_75_NoGroup", [](auto& in) { in.groups->clear(); }, Kind::kRefused,
     Reason::kOperatorGroupGone},
    {"R_000_75_GroupKindGone",
     [](auto& in) { in.groups = Read<std::vector<GroupFacts>>::Absent(); }, Kind::kRefused,
     Reason::kOperatorGroupGone},
    {"R_000_75_GroupDeleting", [](auto& in) { in.groups->front().deleting = true; }, Kind::kRefused,
     Reason::kOperatorGroupGone},
    {"R_000_63_SeveralGroups", [](auto& in) { in.groups->push_back(TestGroup({"a"})); },
     Kind::kRefused, Reason::kOperatorGroupNotUnique},
    {"GroupInvalid", [](auto& in) { in.groups->front().group.invalid = "empty name"; },
     Kind::kRefused, Reason::kOperatorGroupInvalid},
    {"R_000_62_OtherGroup", [](auto& in) { in.csv->record = RecordOf({"a"}, "csv-uid", "old"); },
     Kind::kRefused, Reason::kOperatorGroupChanged},
    {"R_000_62_OtherGroupAndTheRecordEdited",
     [](auto& in) {
       in.remembered = CleanupRecord{TargetSet::Of({"a"}), "csv-uid", "old", {}};
       in.csv->record = RecordOf({"a"});
     },
     Kind::kRefused, Reason::kOperatorGroupChanged},
    {"R_000_59_SharedOwner",
     [](auto& in) { AddOther(in, [](CsvFacts& o) { o.owned_crds = {"widgets.example.com"}; }); },
     Kind::kRefused, Reason::kSharedOwner},
    {"R_000_60_SharedOwnerFailed",
     [](auto& in) {
       AddOther(in, [](CsvFacts& o) {
         o.owned_crds = {"widgets.example.com"};
         o.phase = "Failed";
       });
     },
     Kind::kRefused, Reason::kSharedOwner},
    {"R_000_60_SharedOwnerDeleting",
     [](auto& in) {
       AddOther(in, [](CsvFacts& o) {
         o.owned_crds = {"gadgets.example.com"};
         o.deletion_timestamp = "2026-01-01T00:00:00Z";
       });
     },
     Kind::kRefused, Reason::kSharedOwner},
    {"R_000_85_UnprovenCopy",
     [](auto& in) {
       AddOther(in, [](CsvFacts& o) {
         o.owned_crds = {"widgets.example.com"};
         o.copied_from = "ops";
         o.reason = "Copied";
       });
       in.copies_had_time = true;
     },
     Kind::kRefused, Reason::kSharedOwner},
    {"R_000_59_CopyByReasonAlone",
     [](auto& in) {
       AddOther(in, [](CsvFacts& o) {
         o.owned_crds = {"widgets.example.com"};
         o.reason = "Copied";
       });
     },
     Kind::kRefused, Reason::kSharedOwner},
    {"R_000_60_SharedOwnerKnownFromBefore",
     [](auto& in) {
       in.known = {OtherCsv("far", "gone.v1")};
       in.known.front().owned_crds = {"widgets.example.com"};
     },
     Kind::kRefused, Reason::kSharedOwner},
    {"R_000_61_Required",
     [](auto& in) { AddOther(in, [](CsvFacts& o) { o.required_crds = {"widgets.example.com"}; }); },
     Kind::kRefused, Reason::kRequiredByOther},
    {"R_000_62_RecordTooLarge",
     [](auto& in) { in.csv->other_annotations = kMaxAnnotationBytes - kMarkBytes; }, Kind::kRefused,
     Reason::kRecordTooLarge},
    {"BeingReplaced",
     [](auto& in) {
       AddOther(in, [](CsvFacts& o) {
         o.key.ns = "ops";
         o.replaces = "widget.v1";
       });
     },
     Kind::kRefused, Reason::kBeingReplaced},
    {"R_000_74_NotBound", [](auto& in) { in.protection->opt_in.bound = false; }, Kind::kRefused,
     Reason::kOptInNotProtected},
    {"R_000_77_NotBound", [](auto& in) { in.protection->uninstall.bound = false; }, Kind::kRefused,
     Reason::kDeletionNotProtected},
    {"R_000_77_DeletedBeforeItWasProtected",
     [](auto& in) { in.protection->uninstall.since = kDeleted + absl::Hours(1); }, Kind::kRefused,
     Reason::kDeletionNotProtected},
    {"R_000_77_DeletedWhileThePolicySettles",
     [](auto& in) { in.protection->uninstall.since = kDeleted - kDeletionsSettle; }, Kind::kRefused,
     Reason::kDeletionNotProtected},
    {"R_000_76_Unconfirmed", [](auto& in) { in.csv->confirmed.reset(); }, Kind::kRefused,
     Reason::kOptInUnconfirmed},
    {"R_000_76_ConfirmedUnderAPolicyOfBefore", [](auto& in) { in.csv->confirmed = "older"; },
     Kind::kRefused, Reason::kOptInUnconfirmed},
    {"R_000_76_ThePolicyWasMadeAnew", [](auto& in) { in.protection->opt_in.proof = "newer"; },
     Kind::kRefused, Reason::kOptInUnconfirmed},
};
INSTANTIATE_TEST_SUITE_P(Refused, GuardTest, ::testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

const GuardCase kUnknowns[] = {
    {"Csv", [](auto& in) { in.csv = Read<CsvFacts>::Unreadable("429"); }, Kind::kUnknown,
     Reason::kUnreadable},
    {"R_000_77_DefinitionOfCsvs",
     [](auto& in) { in.csv_definition = Read<CsvDefinitionFacts>::Unreadable("403"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"Namespace",
     [](auto& in) { in.install_namespace = Read<InstallNamespaceFacts>::Unreadable("403"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"Groups", [](auto& in) { in.groups = Read<std::vector<GroupFacts>>::Unreadable("500"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"Selected",
     [](auto& in) {
       in.groups->front().group.target_namespaces.clear();
       in.groups->front().group.selector = *kube::LabelSelector::Parse("team=a");
     },
     Kind::kUnknown, Reason::kUnreadable},
    {"Csvs", [](auto& in) { in.csvs = Read<std::vector<CsvFacts>>::Unreadable("timeout"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"CsvsNotServed", [](auto& in) { in.csvs = Read<std::vector<CsvFacts>>::Absent(); },
     Kind::kUnknown, Reason::kUnreadable},
    {"CsvsWithoutItself", [](auto& in) { in.csvs->erase(in.csvs->begin()); }, Kind::kUnknown,
     Reason::kUnreadable},
    {"Crd",
     [](auto& in) { in.crds["widgets.example.com"] = Read<CrdFacts>::Unreadable("timeout"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"CrdNotLookedAt", [](auto& in) { in.crds.erase("widgets.example.com"); }, Kind::kUnknown,
     Reason::kUnreadable},
    {"Deployment",
     [](auto& in) { in.deployments["widget-operator"] = Read<DeploymentFacts>::Unreadable("429"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"DeploymentNotLookedAt", [](auto& in) { in.deployments.clear(); }, Kind::kUnknown,
     Reason::kUnreadable},
    {"ProtectionAbsent", [](auto& in) { in.protection = Read<ProtectionFacts>::Absent(); },
     Kind::kUnknown, Reason::kUnreadable},
    {"Protection", [](auto& in) { in.protection = Read<ProtectionFacts>::Unreadable("503"); },
     Kind::kUnknown, Reason::kUnreadable},
    {"GroupUnreadable", [](auto& in) { in.groups->front().group.unreadable = "spec is no object"; },
     Kind::kUnknown, Reason::kOperatorGroupUnreadable},
    {"StatusOfGroupUnreadable",
     [](auto& in) { in.groups->front().group.invalid_status = "it is no list"; }, Kind::kUnknown,
     Reason::kOperatorGroupUnreadable},
    {"R_000_62_NotSynced", [](auto& in) { in.groups->front().synced.reset(); }, Kind::kUnknown,
     Reason::kOperatorGroupNotSynced},
    {"R_000_88_StatusLacksANamespace", [](auto& in) { in.groups->front().synced = {{"a"}}; },
     Kind::kUnknown, Reason::kOperatorGroupNotSynced},
    {"R_000_88_StatusSaysAll", [](auto& in) { in.groups->front().synced = {{""}}; }, Kind::kUnknown,
     Reason::kOperatorGroupNotSynced},
};
INSTANTIATE_TEST_SUITE_P(Unknown, GuardTest, ::testing::ValuesIn(kUnknowns),
                         [](const auto& info) { return std::string(info.param.name); });

struct HarmlessCase {
  const char* name;
  std::function<void(CleanupInputs&)> change;
};
class HarmlessTest : public ::testing::TestWithParam<HarmlessCase> {};
TEST_P(HarmlessTest, StaysAllowed) {
  CleanupInputs inputs = AllowedInputs();
  GetParam().change(inputs);
  const Verdict verdict = CleanupVerdict(inputs);
  EXPECT_EQ(verdict.kind, Kind::kAllowed)
      << (verdict.blockers.empty() ? "" : verdict.blockers.front().message);
}
const HarmlessCase kHarmless[] = {
    {"R_000_77_DefinitionOfCsvsMadeBefore",
     [](auto& in) { in.csv_definition->created = kDeleted - absl::Seconds(1); }},
    {"R_000_77_DefinitionOfCsvsMadeAnewWhileItIsNotDeleted",
     [](auto& in) {
       in.csv->deletion_timestamp.clear();
       in.csv_definition->created = kDeleted + absl::Seconds(1);
     }},
    {"ItselfAsKnownFromBefore", [](auto& in) { in.known = {TestCsv()}; }},
    {"KnownFromBeforeOwnedWhatItOwnsNoMore",
     [](auto& in) {
       in.known = {OtherCsv("else", "other.v1")};
       in.known.front().owned_crds = {"widgets.example.com"};
     }},
    {"ReplacedInAnotherNamespace",
     [](auto& in) { AddOther(in, [](CsvFacts& o) { o.replaces = "widget.v1"; }); }},
    {"RequiresItsOwn", [](auto& in) { in.csv->required_crds = {"widgets.example.com"}; }},
    {"OperatorNamespaceIsItsOwn", [](auto& in) { in.csv->operator_namespace = "ops"; }},
    {"OptOutIsFalse", [](auto& in) { in.csv->opt_out = "false"; }},
    {"R_000_62_ARecordThatWasWrittenHasItsRoom",
     [](auto& in) {
       in.csv->record = RecordOf({"a"});
       in.csv->other_annotations = kMaxAnnotationBytes;
     }},
    {"R_000_62_AllNamespacesTakeNoRoom",
     [](auto& in) {
       in.groups->front() = TestGroup({});
       in.csv->other_annotations = kMaxAnnotationBytes - kMarkBytes - 400;
     }},
    {"CrdGone", [](auto& in) { in.crds["widgets.example.com"] = Read<CrdFacts>::Absent(); }},
    {"UnprotectedIsAllowed",
     [](auto& in) {
       in.allow_unprotected = true;
       in.protection = Read<ProtectionFacts>();
       in.csv->confirmed.reset();
     }},
    {"WithoutDeployments",
     [](auto& in) {
       in.without_deployments = true;
       in.deployments.clear();
     }},
};
INSTANTIATE_TEST_SUITE_P(All, HarmlessTest, ::testing::ValuesIn(kHarmless),
                         [](const auto& info) { return std::string(info.param.name); });

// The last byte counts, and previews, which read no definitions, say it, too.
TEST(VerdictTest, R_000_62_TheRecordFitsOrIsRefused) {
  CleanupInputs inputs = AllowedInputs();
  const size_t record = SizeOf(*CleanupVerdict(inputs).to_record);
  EXPECT_EQ(record, kRecordAnnotation.size() + RecordOf({"a", "b"}).size());
  inputs.csv->other_annotations = kMaxAnnotationBytes - kMarkBytes - record;
  EXPECT_TRUE(CleanupVerdict(inputs).allowed());
  ++inputs.csv->other_annotations;
  EXPECT_THAT(ReasonsOf(CleanupVerdict(inputs)), ElementsAre(Reason::kRecordTooLarge));
  inputs.csv->other_annotations = kMaxAnnotationBytes;
  inputs.watched_only = true;
  inputs.csv->deletion_timestamp.clear();
  EXPECT_THAT(ReasonsOf(CleanupVerdict(inputs)), ElementsAre(Reason::kRecordTooLarge));
  std::vector<std::string> namespaces;
  for (int i = 100'000; i < 104'000; ++i) {
    namespaces.push_back(std::to_string(i) + std::string(57, 'n'));
  }
  inputs = AllowedInputs();
  inputs.groups->front() = TestGroup(namespaces);
  EXPECT_THAT(ReasonsOf(CleanupVerdict(inputs)), ElementsAre(Reason::kRecordTooLarge));
}

// No blocker hides another (R-000-59, R-000-60): an operator that is refused for itself still shows
// its co-owners.
TEST(VerdictTest, AllBlockersAreListed) {
  CleanupInputs inputs = AllowedInputs();
  inputs.csv->phase = "Failed";
  inputs.csvs->push_back(OtherCsv("far", "second.v1"));
  inputs.csvs->back().owned_crds = {"widgets.example.com"};
  inputs.protection = Read<ProtectionFacts>::Unreadable("503");
  inputs.deployments["widget-operator"] = Read<DeploymentFacts>::Absent();
  const Verdict verdict = CleanupVerdict(inputs);
  EXPECT_EQ(verdict.kind, Kind::kRefused);
  EXPECT_THAT(ReasonsOf(verdict), ElementsAre(Reason::kPhaseNotSucceeded, Reason::kUnreadable,
                                              Reason::kSharedOwner, Reason::kOperatorGone));
}

TEST(VerdictTest, R_000_59_SharesWhatWasRecorded) {
  CleanupInputs inputs = AllowedInputs();
  inputs.csv->record = RecordOf({"a"});
  inputs.csv->owned_crds = {"gadgets.example.com"};
  AddOther(inputs, [](CsvFacts& other) { other.owned_crds = {"widgets.example.com"}; });
  EXPECT_THAT(ReasonsOf(CleanupVerdict(inputs)), ElementsAre(Reason::kSharedOwner));
}

TEST(VerdictTest, R_000_86_NobodyCanFinish) {
  CleanupInputs inputs = AllowedInputs();
  EXPECT_FALSE(NobodyCanFinish(inputs));
  inputs.install_namespace->terminating = true;
  EXPECT_FALSE(NobodyCanFinish(inputs)) << "its Deployment is still there";
  inputs.deployments["widget-operator"] = Read<DeploymentFacts>::Unreadable("429");
  EXPECT_FALSE(NobodyCanFinish(inputs));
  inputs.deployments["widget-operator"] = Read<DeploymentFacts>::Ok({true});
  EXPECT_TRUE(NobodyCanFinish(inputs));
  inputs.deployments["widget-operator"] = Read<DeploymentFacts>::Absent();
  EXPECT_TRUE(NobodyCanFinish(inputs));
  inputs.install_namespace = Read<InstallNamespaceFacts>::Unreadable("403");
  EXPECT_FALSE(NobodyCanFinish(inputs));
  inputs.install_namespace = Read<InstallNamespaceFacts>::Ok({"ops", false});
  EXPECT_FALSE(NobodyCanFinish(inputs));
}

TEST(VerdictTest, ACsvThatIsGone) {
  CleanupInputs inputs = AllowedInputs();
  inputs.csv = Read<CsvFacts>::Absent();
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kRefused);
}

// The refusal needs no other reads: an upgrade does not wait for them.
TEST(VerdictTest, WhatTheCsvForbidsNeedsNoOtherRead) {
  CleanupInputs inputs;
  inputs.csv = Read<CsvFacts>::Ok(TestCsv());
  inputs.csv->phase = "Replacing";
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kRefused);
}

TEST(VerdictTest, WhatElseForbidsIsNotBelievedWhileSomethingIsUnread) {
  CleanupInputs inputs = AllowedInputs();
  inputs.install_namespace->terminating = true;
  inputs.csvs = Read<std::vector<CsvFacts>>::Unreadable("timeout");
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kUnknown);
}

TEST(VerdictTest, BlockersNameTheObjects) {
  CleanupInputs inputs = AllowedInputs();
  for (const char* name : {"z.v1", "y.v1", "x.v1"}) {
    AddOther(inputs, [name](CsvFacts& other) {
      other.key.name = name;
      other.owned_crds = {"widgets.example.com"};
    });
  }
  const Verdict verdict = CleanupVerdict(inputs);
  ASSERT_EQ(verdict.blockers.size(), 1u);
  EXPECT_THAT(verdict.blockers[0].objects, ElementsAre("far/x.v1", "far/y.v1", "far/z.v1"));
}

struct TargetCase {
  const char* name;
  std::vector<std::string> record;  // {"*"} = all, {} = none written
  std::vector<std::string> spec;    // {} = all
  std::vector<std::string> status;  // {""} = all
  std::vector<std::string> want;    // {"*"} = all
};
class TargetTest : public ::testing::TestWithParam<TargetCase> {};
TEST_P(TargetTest, OnlyShrink) {
  const TargetCase& c = GetParam();
  CleanupInputs inputs = AllowedInputs();
  if (!c.record.empty()) inputs.csv->record = RecordOf(c.record);
  *inputs.groups = {TestGroup(c.spec)};
  inputs.groups->front().synced = c.status;
  const Verdict verdict = CleanupVerdict(inputs);
  ASSERT_EQ(verdict.kind, Kind::kAllowed);
  EXPECT_EQ(verdict.targets,
            c.want == std::vector<std::string>{"*"} ? TargetSet::All() : TargetSet::Of(c.want));
}
const TargetCase kTargets[] = {
    {"AllThreeSayAll", {"*"}, {}, {""}, {"*"}},
    {"RecordIsAList", {"a"}, {}, {""}, {"a"}},
    {"SpecIsAList", {"*"}, {"a"}, {""}, {"a"}},
    {"StatusIsAList", {"*"}, {}, {"a"}, {"a"}},
    {"GroupWasWidened", {"a"}, {"a", "b"}, {"a", "b"}, {"a"}},
    {"GroupWasWidenedToAll", {"a", "b"}, {}, {""}, {"a", "b"}},
    {"GroupWasNarrowed", {"a", "b"}, {"b"}, {"a", "b"}, {"b"}},
    {"StatusLagsBehind", {"a", "b"}, {"a", "b"}, {"a"}, {"a"}},
    {"GroupWasMoved", {"a"}, {"b"}, {"b"}, {}},
};
INSTANTIATE_TEST_SUITE_P(All, TargetTest, ::testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

// The last namespace that the selector matched is gone, and OLM writes an empty list, which is not
// there: what was begun ends.
TEST(VerdictTest, R_000_62_NothingIsSelectedAnyMore) {
  CleanupInputs inputs = AllowedInputs();
  GroupFacts& group = inputs.groups->front();
  group.group.target_namespaces.clear();
  group.group.selector = *kube::LabelSelector::Parse("team=a");
  group.synced.reset();
  inputs.selected = Read<std::vector<std::string>>::Ok({});
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kUnknown) << "nothing is recorded";
  inputs.csv->record = RecordOf({"a", "b"});
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kAllowed);
  EXPECT_TRUE(CleanupVerdict(inputs).targets.empty());
  EXPECT_EQ(*DrainTargets(inputs), TargetSet::Of({"a", "b"}));
  // A target that is new was never recorded.
  inputs.selected = Read<std::vector<std::string>>::Ok({"c"});
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kAllowed);
  EXPECT_TRUE(CleanupVerdict(inputs).targets.empty());
  // While something is selected that was recorded, it is for OLM to say so.
  inputs.selected = Read<std::vector<std::string>>::Ok({"b"});
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kUnknown);
  inputs.selected = Read<std::vector<std::string>>::Unreadable("500");
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kUnknown);
}

// An API goes with the operator's namespace: what it stored can never be read again (R-000-86).
TEST(VerdictTest, R_000_86_ATerminatingNamespaceOutranksWhatIsReadOfDefinitions) {
  struct Case {
    const char* name;
    std::function<void(CleanupInputs&)> change;
    Kind want;
  };
  const Case cases[] = {
      {"nothing was sent", [](auto&) {}, Kind::kRefused},
      {"something was", [](auto& in) { in.csv->record = RecordOf({"a"}); }, Kind::kUnknown},
      {"something was, and the operator is gone",
       [](auto& in) {
         in.csv->record = RecordOf({"a"});
         in.deployments["widget-operator"] = Read<DeploymentFacts>::Absent();
       },
       Kind::kRefused},
      {"something else could not be read",
       [](auto& in) { in.csvs = Read<std::vector<CsvFacts>>::Unreadable("500"); }, Kind::kUnknown},
      {"the namespace stays", [](auto& in) { in.install_namespace->terminating = false; },
       Kind::kUnknown},
      {"the namespace could not be read",
       [](auto& in) { in.install_namespace = Read<InstallNamespaceFacts>::Unreadable("500"); },
       Kind::kUnknown},
  };
  for (const Case& test : cases) {
    CleanupInputs inputs = AllowedInputs();
    inputs.install_namespace->terminating = true;
    inputs.crds["widgets.example.com"] = Read<CrdFacts>::Unreadable("APIService: gone");
    test.change(inputs);
    EXPECT_EQ(CleanupVerdict(inputs).kind, test.want) << test.name;
  }
}

// OLM deletes the copies of a version that was replaced a while after it.
TEST(VerdictTest, CopiesWithoutAnOriginalAreGivenTime) {
  const auto copy = [](CsvFacts& other) {
    other.owned_crds = {"widgets.example.com"};
    other.copied_from = "ops";
  };
  for (const bool requires_it : {false, true}) {
    CleanupInputs inputs = AllowedInputs();
    AddOther(inputs, copy);
    if (requires_it) std::swap(inputs.csvs->back().owned_crds, inputs.csvs->back().required_crds);
    const Reason reason = requires_it ? Reason::kRequiredByOther : Reason::kSharedOwner;
    Verdict verdict = CleanupVerdict(inputs);
    EXPECT_EQ(verdict.kind, Kind::kUnknown);
    EXPECT_TRUE(verdict.IsBlockedBy(Reason::kCopiesLeft));
    inputs.copies_had_time = true;
    verdict = CleanupVerdict(inputs);
    EXPECT_EQ(verdict.kind, Kind::kRefused);
    EXPECT_TRUE(verdict.IsBlockedBy(reason));
    inputs.copies_had_time = false;
    // Another owner exists.
    AddOther(inputs, [](CsvFacts& other) {
      other.key.name = "another.v1";
      other.owned_crds = other.required_crds = {"widgets.example.com"};
    });
    verdict = CleanupVerdict(inputs);
    EXPECT_EQ(verdict.kind, Kind::kRefused);
    EXPECT_TRUE(verdict.IsBlockedBy(reason));
  }
  // The copy's original exists and owns less: only the copy's author knows what it is.
  CleanupInputs inputs = AllowedInputs();
  AddOther(inputs, copy);
  CsvFacts original = OtherCsv("ops", inputs.csvs->back().key.name);
  inputs.csvs->push_back(original);
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kRefused);
  // The World still has the object that went a moment ago.
  inputs.csvs->pop_back();
  inputs.known = {original};
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kRefused);
}

// The custom resources that a late DELETE could still delete.
TEST(VerdictTest, R_000_78_WhatMayBeLeft) {
  const auto may = [](const CleanupInputs& inputs) {
    return MayLeaveRecorded(inputs, CleanupVerdict(inputs));
  };
  CleanupInputs inputs = AllowedInputs();
  inputs.remembered = CleanupRecord{TargetSet::Of({"a", "b"}),
                                    "csv-uid",
                                    "group-uid",
                                    {{"widgets.example.com", {"uid-of-widgets"}}}};
  inputs.csv->record = EncodeRecord(*inputs.remembered);
  EXPECT_FALSE(may(inputs)) << "an empty list is one of all that was recorded";
  CleanupInputs changed = inputs;
  changed.csv->phase = "Failed";
  EXPECT_TRUE(may(changed));
  changed = inputs;
  changed.groups->front().synced = {{"a"}};
  EXPECT_TRUE(may(changed));
  changed = inputs;
  changed.csv->owned_crds = {"gadgets.example.com"};
  EXPECT_TRUE(may(changed));
  changed = inputs;
  changed.csv->record = RecordOf({"a", "b"});
  EXPECT_TRUE(may(changed)) << "somebody took the definition out of it";
}

TEST(VerdictTest, SelectorsAreResolved) {
  CleanupInputs inputs = AllowedInputs();
  GroupFacts& group = inputs.groups->front();
  group.group.target_namespaces.clear();
  group.group.selector = *kube::LabelSelector::Parse("team=a");
  group.synced = {{"b", "c", "d"}};
  inputs.selected = Read<std::vector<std::string>>::Ok({"b", "c", "d"});
  EXPECT_EQ(CleanupVerdict(inputs).targets, TargetSet::Of({"b", "c", "d"}));
  group.synced = {{"a", "b", "c"}};
  EXPECT_EQ(CleanupVerdict(inputs).kind, Kind::kUnknown) << "R-000-88";
  inputs.csv->record = RecordOf({"c", "d"});
  EXPECT_EQ(CleanupVerdict(inputs).targets, TargetSet::Of({"c"}));
}

TEST(VerdictTest, AnEditedRecordIsHeldToWhatIsRemembered) {
  CleanupInputs inputs = AllowedInputs();
  inputs.csv->record = RecordOf({"a", "b"});
  inputs.remembered = CleanupRecord{TargetSet::Of({"b"}), "csv-uid", "group-uid", {}};
  EXPECT_EQ(CleanupVerdict(inputs).targets, TargetSet::Of({"b"}));
  EXPECT_EQ(*DrainTargets(inputs), TargetSet::Of({"b"}));
}

// The CSV's own definitions are those to wait for.
TEST(VerdictTest, R_000_62_TheRecordOfAnotherObjectSaysNothing) {
  CleanupInputs inputs = AllowedInputs();
  inputs.csv->record = RecordOf({"a"}, "other-uid");
  inputs.csv->owned_crds = {"widgets.example.com"};
  EXPECT_FALSE(olm::RecordOf(inputs).has_value());
  EXPECT_EQ(DefinitionsOf(inputs), std::set<std::string>{"widgets.example.com"});
}

TEST(VerdictTest, DrainTargets) {
  CleanupInputs inputs = AllowedInputs();
  EXPECT_EQ(*DrainTargets(inputs), TargetSet()) << "R-000-86: nothing was sent";
  inputs.csv->record = RecordOf({"b", "c"});
  EXPECT_EQ(*DrainTargets(inputs), TargetSet::Of({"b", "c"}));
  inputs.groups = Read<std::vector<GroupFacts>>::Unreadable("500");
  EXPECT_EQ(*DrainTargets(inputs), TargetSet::Of({"b", "c"}));
  // The record was removed.
  inputs.csv->record.reset();
  inputs.csv->said_waiting = true;
  EXPECT_TRUE(DrainTargets(inputs).unreadable());
  inputs.groups = Read<std::vector<GroupFacts>>::Ok({});
  EXPECT_EQ(*DrainTargets(inputs), TargetSet::All());
  inputs.groups = Read<std::vector<GroupFacts>>::Ok({TestGroup({"a"})});
  EXPECT_EQ(*DrainTargets(inputs), TargetSet::Of({"a"}));
  inputs.csv = Read<CsvFacts>::Unreadable("500");
  EXPECT_TRUE(DrainTargets(inputs).unreadable());
}

// --- Properties.

// Every way to make one input unreadable.
const std::vector<std::function<void(CleanupInputs&)>>& Unreadables() {
  static const auto& spoilers = *new std::vector<std::function<void(CleanupInputs&)>>{
      [](auto& in) { in.csv = Read<CsvFacts>::Unreadable("x"); },
      [](auto& in) { in.install_namespace = Read<InstallNamespaceFacts>::Unreadable("x"); },
      [](auto& in) { in.csv_definition = Read<CsvDefinitionFacts>::Unreadable("x"); },
      [](auto& in) { in.groups = Read<std::vector<GroupFacts>>::Unreadable("x"); },
      [](auto& in) { in.csvs = Read<std::vector<CsvFacts>>::Unreadable("x"); },
      [](auto& in) { in.crds["widgets.example.com"] = Read<CrdFacts>::Unreadable("x"); },
      [](auto& in) { in.crds["gadgets.example.com"] = Read<CrdFacts>::Unreadable("x"); },
      [](auto& in) { in.deployments["widget-operator"] = Read<DeploymentFacts>::Unreadable("x"); },
      [](auto& in) { in.protection = Read<ProtectionFacts>::Unreadable("x"); },
  };
  return spoilers;
}

TEST(VerdictPropertyTest, NeverAllowedWithAnySpoiledInput) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 20'000; ++round) {
    CleanupInputs inputs = AllowedInputs();
    bool unreadable = false, forbidden = false;
    const int spoilers = static_cast<int>(random() % 4);
    for (int i = 0; i < spoilers; ++i) {
      // Refusals come first: spoilers of the second kind replace the objects that refusals change.
      const size_t pick = random() % std::size(kRefusals);
      if (!inputs.csv.ok() || !inputs.groups.ok() || !inputs.csvs.ok() || inputs.groups->empty() ||
          !inputs.install_namespace.ok() || !inputs.csv_definition.ok()) {
        break;
      }
      kRefusals[pick].spoil(inputs);
      forbidden = true;
    }
    const int reads = static_cast<int>(random() % 3);
    for (int i = 0; i < reads; ++i) {
      Unreadables()[random() % Unreadables().size()](inputs);
      unreadable = true;
    }
    const Verdict verdict = CleanupVerdict(inputs);
    ASSERT_EQ(verdict.allowed(), !unreadable && !forbidden) << "round " << round;
    ASSERT_EQ(verdict.allowed(), verdict.blockers.empty());
    if (!verdict.allowed()) {
      EXPECT_TRUE(verdict.targets.empty());
      EXPECT_FALSE(verdict.to_record.has_value());
    }
    if (unreadable && verdict.kind == Kind::kRefused) {
      // A refusal then rests on the ClusterServiceVersion itself, or on the end of its namespace.
      EXPECT_TRUE(verdict.blockers.front().weight == BlockerWeight::kOwn ||
                  verdict.IsBlockedBy(Reason::kInstallNamespaceTerminating));
    }
  }
}

std::vector<std::string> SomeNamespaces(std::mt19937& random) {
  std::vector<std::string> names;
  for (const char* name : {"a", "b", "c", "d"}) {
    if (random() % 2 == 0) names.push_back(name);
  }
  return names;
}

TEST(VerdictPropertyTest, TargetsOnlyShrink) {
  std::mt19937 random(7);
  for (int run = 0; run < 2'000; ++run) {
    CleanupInputs inputs = AllowedInputs();
    std::optional<TargetSet> recorded;
    for (int step = 0; step < 5; ++step) {
      *inputs.groups = {TestGroup(SomeNamespaces(random))};
      std::vector<std::string> status = SomeNamespaces(random);
      if (random() % 3 == 0) status = {""};
      // Before there is a record, spec and status must agree (R-000-88).
      if (!status.empty() && recorded.has_value()) inputs.groups->front().synced = status;
      const Verdict verdict = CleanupVerdict(inputs);
      ASSERT_EQ(verdict.kind, Kind::kAllowed);
      if (recorded.has_value()) {
        EXPECT_TRUE(verdict.targets.IsSubsetOf(*recorded));
      } else {
        recorded = verdict.to_record->targets;
        inputs.csv->record = EncodeRecord(*verdict.to_record);
      }
      const GroupFacts& group = inputs.groups->front();
      EXPECT_TRUE(verdict.targets.IsSubsetOf(group.group.target_namespaces.empty()
                                                 ? TargetSet::All()
                                                 : TargetSet::Of(group.group.target_namespaces)));
      // Every place where deletions may have been sent is waited for, however much the group has
      // changed.
      EXPECT_TRUE(verdict.targets.IsSubsetOf(*DrainTargets(inputs)));
    }
  }
}

}  // namespace
}  // namespace steward::olm
