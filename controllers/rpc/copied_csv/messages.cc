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

namespace steward::rpc {
namespace {

using controllers::CopyChoice;
using olm::SlotFinding;

constexpr size_t kTokenBytes = 16;
// What tokens are made of; replicas of two versions run beside each other during an update.
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

void WriteChange(const controllers::CopyChange& change, copiedcsv::v1::Choice choice,
                 copiedcsv::v1::Change& out) {
  out.set_namespace_(change.ns->name);
  out.set_name(*change.name);
  out.set_operator_namespace(*change.source);
  switch (change.finding) {
    case SlotFinding::kMissing:
      out.set_action("Create");
      out.set_reason("Missing");
      return;
    case SlotFinding::kUnwanted:
      out.set_action("Delete");
      out.set_reason(choice == copiedcsv::v1::CHOICE_OFF ? "TurnedOff" : "NotWanted");
      return;
    case SlotFinding::kOrphan:
      out.set_action("Delete");
      out.set_reason("OperatorGone");
      return;
    case SlotFinding::kLeftByDeletion:
      out.set_action("Keep");
      out.set_reason("BeingDeleted");
      return;
    case SlotFinding::kLeftWithoutGroup:
      out.set_action("Keep");
      out.set_reason("NoOperatorGroup");
      return;
    case SlotFinding::kOther:
    case SlotFinding::kRight:
      return;
  }
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
