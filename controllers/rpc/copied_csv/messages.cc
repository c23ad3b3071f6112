#include "controllers/rpc/copied_csv/messages.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/digest/digest.h"
#include "base/text/str_cat.h"
#include "olm/config/olm_config.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/resources.h"

namespace steward::rpc {
namespace {

using controllers::CopyChange;
using controllers::CopyChoice;
using olm::SlotFinding;

constexpr size_t kTokenBytes = 16;
// Names the content from which tokens are computed. It must change with that content, because
// replicas of two versions run beside each other during an update.
constexpr std::string_view kTokenForm = "s1";

const char* Word(olm::CopyPolicy::Global global) {
  switch (global) {
    case olm::CopyPolicy::Global::kCopied:
      return "On";
    case olm::CopyPolicy::Global::kNotCopied:
      return "Off";
    case olm::CopyPolicy::Global::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

const char* Word(CopyChoice::By by) {
  switch (by) {
    case CopyChoice::By::kNobody:
      return "Nobody";
    case CopyChoice::By::kOlmConfig:
      return "OLMConfig";
    case CopyChoice::By::kDefaults:
      return "Defaults";
    case CopyChoice::By::kNotUnderstood:
      return "NotUnderstood";
  }
  return "Nobody";
}

const char* ReasonOf(SlotFinding finding, copiedcsv::v1::Choice choice) {
  switch (finding) {
    case SlotFinding::kMissing:
      return "Missing";
    case SlotFinding::kUnwanted:
      return choice == copiedcsv::v1::CHOICE_OFF ? "TurnedOff" : "NotWanted";
    case SlotFinding::kOrphan:
      return "OperatorGone";
    case SlotFinding::kLeftByDeletion:
      return "BeingDeleted";
    case SlotFinding::kLeftWithoutGroup:
      return "NoOperatorGroup";
    case SlotFinding::kOther:
    case SlotFinding::kRight:
      break;
  }
  return "";
}

// Returns sentences about the namespace of the original, and whether the requester sees the
// operator only by this copy.
std::string AboutCopy(const CopyChange& change, bool requester_loses_sight) {
  const std::string& home = *change.source;
  if (home.empty()) return "copy of an operator that is gone";
  const std::string about = StrCat("copy of ", home, "/", *change.name);
  if (!change.Deletes()) return about;
  if (requester_loses_sight) {
    return StrCat(about, "; the requester sees this operator by its copies alone");
  }
  return StrCat(about, "; without it, whoever may not list ClusterServiceVersions in ", home,
                " loses sight of the operator here");
}

std::string Counted(int64_t count, std::string_view one, std::string_view many) {
  return StrCat(count, " ", count == 1 ? one : many);
}

// Returns a text like "24 copies to create, in 24 namespaces, of 1 operator; 2 copies stay".
std::string SummaryText(const copiedcsv::v1::PreviewSummary& all) {
  std::string text;
  if (all.creates() > 0) text = StrCat(Counted(all.creates(), "copy", "copies"), " to create");
  if (all.deletes() > 0) {
    StrAppend(&text, text.empty() ? "" : " and ", Counted(all.deletes(), "copy", "copies"),
              " to delete");
  }
  if (text.empty()) {
    text = "there are no copies to create or to delete";
  } else {
    StrAppend(&text, ", in ", Counted(all.namespaces(), "namespace", "namespaces"), ", of ",
              Counted(all.operators(), "operator", "operators"));
  }
  if (all.stays() > 0) {
    StrAppend(&text, "; ", all.stays(), all.stays() == 1 ? " copy stays" : " copies stay");
  }
  if (!all.installed_operators().empty()) {
    StrAppend(&text, "; InstalledOperators: ", all.installed_operators());
  }
  return text;
}

}  // namespace

void WriteState(const controllers::CopiesDifference& difference, const CopyChoice& choice,
                copiedcsv::v1::State& out) {
  copiedcsv::v1::Desired& desired = *out.mutable_desired();
  desired.set_copies(Word(choice.policy.global));
  desired.set_decided_by(Word(choice.by));
  if (choice.by == CopyChoice::By::kOlmConfig || choice.by == CopyChoice::By::kNotUnderstood) {
    desired.set_olm_config(olm::kOlmConfigName);
  }
  desired.set_protected_namespaces(static_cast<int64_t>(choice.policy.protected_namespaces.size()));
  out.set_copies(static_cast<int64_t>(difference.copies));
  out.set_operators(static_cast<int64_t>(difference.operators));
  const olm::CopyCounts& counts = difference.counts;
  out.set_right(static_cast<int64_t>(counts.right));
  out.set_missing(static_cast<int64_t>(counts.missing));
  out.set_unexpected(static_cast<int64_t>(counts.unexpected));
  out.set_unexplained(static_cast<int64_t>(counts.unexplained));
  const size_t left = counts.missing + counts.unexpected;
  out.mutable_progress()->set_left(static_cast<int64_t>(left));
  out.mutable_progress()->set_done(left == 0 &&
                                   choice.policy.global != olm::CopyPolicy::Global::kUnknown);
}

std::string ResumeToken(const copiedcsv::v1::State& state) {
  copiedcsv::v1::State same = state;
  same.mutable_progress()->clear_of();
  std::string text(kTokenForm);
  {
    google::protobuf::io::StringOutputStream stream(&text);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    same.SerializeToCodedStream(&coded);
  }
  return absl::BytesToHexString(ToAbsl(std::string_view(Sha256(text)).substr(0, kTokenBytes)));
}

olm::Outcome ActionOf(const CopyChange& change) {
  if (!change.HasCopy()) return olm::Outcome::kCreate;
  return change.Deletes() ? olm::Outcome::kDelete : olm::Outcome::kKeep;
}

void WriteChange(const CopyChange& change, copiedcsv::v1::Choice choice,
                 copiedcsv::v1::Change& out) {
  out.set_namespace_(change.ns->name);
  out.set_name(*change.name);
  out.set_operator_namespace(*change.source);
  out.set_action(std::string(olm::ToString(ActionOf(change))));
  out.set_reason(ReasonOf(change.finding, choice));
}

void AddStep(const CopyChange& change, const copiedcsv::v1::Change& told,
             olm::PlanPreview& preview) {
  olm::PreviewStep& step =
      preview.Add(olm::kCsvKind, {change.ns->name, *change.name}, *change.name);
  step.outcome = ActionOf(change);
  step.reason = told.reason();
  step.message = AboutCopy(change, told.requester_loses_sight());
}

olm::PlanCondition ConditionOf(const copiedcsv::v1::PreviewSummary& all,
                               const std::vector<olm::PreviewStep>& steps) {
  if (all.not_reconciled()) {
    return {false, "NobodyCopies",
            "nobody makes or deletes copies: the reconciler copied-csvs does not run here, so that "
            "nothing becomes of the choice"};
  }
  if (olm::PreviewSummary::Of(steps)[olm::Outcome::kFail] > 0) {
    return {false, "StepsFail", SummaryText(all)};
  }
  const bool changes = all.creates() + all.deletes() > 0;
  return {true, changes ? "CopiesChange" : "NothingToChange", SummaryText(all)};
}

void WriteSummary(const controllers::CopiesDifference& difference,
                  copiedcsv::v1::PreviewSummary& out) {
  std::set<std::pair<std::string_view, std::string_view>> operators;
  const olm::Namespace* last = nullptr;
  int64_t namespaces = 0;
  int64_t creates = 0;
  int64_t deletes = 0;
  int64_t stays = 0;
  for (const controllers::CopyChange& change : difference.changes) {
    if (change.Stays()) {
      ++stays;
      continue;
    }
    ++(change.Deletes() ? deletes : creates);
    operators.emplace(*change.source, *change.name);
    if (change.ns != last) ++namespaces;
    last = change.ns;
  }
  out.set_creates(creates);
  out.set_deletes(deletes);
  out.set_stays(stays);
  out.set_operators(static_cast<int64_t>(operators.size()));
  out.set_namespaces(namespaces);
}

}  // namespace steward::rpc
