#include "olm/payload/payload_record.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr size_t kMaxNote = 256;
constexpr size_t kMaxSentence = 1 << 10;

constexpr std::array kPayloadStates = {PayloadState::kInitializing, PayloadState::kUpdating,
                                       PayloadState::kReconciling};
constexpr std::array kRemovalStates = {RemovalState::kInitiated, RemovalState::kOngoing,
                                       RemovalState::kCompleted, RemovalState::kReappeared,
                                       RemovalState::kFailed};

absl::Status Unreadable(std::string_view what) {
  return absl::DataLossError(StrCat("the payload's record cannot be read: ", what));
}

template <typename States>
auto StateOf(const States& states, std::string_view name)
    -> std::optional<typename States::value_type> {
  for (const auto state : states) {
    if (NameOf(state) == name) return state;
  }
  return std::nullopt;
}

json::object ToJson(const Removal& removal) {
  return {{"group", removal.identity.group},
          {"kind", removal.identity.kind},
          {"namespace", removal.identity.ns},
          {"name", removal.identity.name},
          {"uid", removal.uid},
          {"removes", removal.removes},
          {"state", NameOf(removal.state)},
          {"since", kube::FormatRfc3339(removal.since)},
          {"version", removal.version},
          {"note", CutUtf8(removal.note, kMaxNote)}};
}

absl::StatusOr<Removal> RemovalOf(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return Unreadable("a removal is no object");
  Removal removal;
  removal.identity = {
      std::string(StringAt(*object, "group")), std::string(StringAt(*object, "kind")),
      std::string(StringAt(*object, "namespace")), std::string(StringAt(*object, "name"))};
  removal.identity = removal.identity.Stored();
  removal.uid = StringAt(*object, "uid");
  removal.removes = BoolAt(*object, "removes");
  removal.version = StringAt(*object, "version");
  removal.note = StringAt(*object, "note");
  if (removal.identity.kind.empty() || removal.identity.name.empty()) {
    return Unreadable("a removal has no kind or no name");
  }
  const auto state = StateOf(kRemovalStates, StringAt(*object, "state"));
  if (!state) return Unreadable("a removal's state is unknown");
  removal.state = *state;
  if (removal.holds() && removal.uid.empty()) return Unreadable("a removal has no uid");
  const absl::StatusOr<absl::Time> since = kube::ParseRfc3339(StringAt(*object, "since"));
  if (!since.ok()) return Unreadable("a removal's time is none");
  removal.since = *since;
  return removal;
}

}  // namespace

std::optional<Removal> PayloadRecord::Find(const PayloadIdentity& identity) const {
  const auto found = removals.find(identity);
  return found == removals.end() ? std::nullopt : std::optional<Removal>(found->second);
}

std::vector<std::string> PayloadRecord::Holding() const {
  std::vector<std::string> holding;
  for (const auto& [identity, removal] : removals) {
    if (!removal.holds()) continue;
    holding.push_back(StrCat(identity.ToString(), " (", std::string(NameOf(removal.state)),
                             " since ", kube::FormatRfc3339(removal.since),
                             removal.note.empty() ? "" : ": ", removal.note, ")"));
  }
  return holding;
}

std::string HoldingSentence(const PayloadRecord& record) {
  const std::vector<std::string> holding = record.Holding();
  if (holding.empty()) return "";
  std::string text =
      StrCat("Objects that the payload removes are not gone yet: ", absl::StrJoin(holding, ", "));
  if (text.size() > kMaxSentence) {
    text = StrCat(CutUtf8(text, kMaxSentence - 4), " ...");
  }
  return text;
}

absl::StatusOr<json::object> WritePayloadRecord(const PayloadRecord& record) {
  json::array removals;
  for (const auto& [identity, removal] : record.removals) removals.push_back(ToJson(removal));
  const std::string text = Serialize(removals);
  if (record.removals.size() > kMaxRecordedRemovals || text.size() > kMaxRecord) {
    return absl::ResourceExhaustedError(
        StrCat("the record of ", record.removals.size(), " removals would be too large"));
  }
  const std::string holding = HoldingSentence(record);
  json::object data = {{"version", record.version},
                       {"hash", record.hash},
                       {"state", NameOf(record.state)},
                       {"upgradeable", holding.empty() ? "True" : "False"},
                       {"reason", holding.empty() ? std::string_view() : kDeletesInProgress},
                       {"message", holding},
                       {"removals", text}};
  if (record.turn > 0) data["turn"] = StrCat(record.turn);
  if (record.completed) data["completed"] = kube::FormatRfc3339(*record.completed);
  return data;
}

absl::StatusOr<PayloadRecord> ReadPayloadRecord(const json::object& data) {
  PayloadRecord record;
  if (data.empty()) return record;
  record.version = StringAt(data, "version");
  record.hash = StringAt(data, "hash");
  // An invalid turn counts as 0. Only the API server compares turns, by a changed resourceVersion.
  if (!absl::SimpleAtoi(ToAbsl(StringAt(data, "turn")), &record.turn)) record.turn = 0;
  const auto state = StateOf(kPayloadStates, StringAt(data, "state"));
  if (!state) return Unreadable("its state is unknown");
  record.state = *state;
  if (const std::string_view completed = StringAt(data, "completed"); !completed.empty()) {
    const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(completed);
    if (!time.ok()) return Unreadable("the time of its completion is none");
    record.completed = *time;
  }
  const absl::StatusOr<json::value> removals =
      ParseJson(StringAt(data, "removals"), {.max_size = 2 * kMaxRecord, .max_depth = 8});
  if (!removals.ok() || !removals->is_array()) return Unreadable("its removals are no list");
  for (const json::value& each : removals->get_array()) {
    ASSIGN_OR_RETURN(Removal removal, RemovalOf(each));
    PayloadIdentity identity = removal.identity;
    record.removals[std::move(identity)] = std::move(removal);
  }
  return record;
}

std::string PayloadHash(std::string_view version, const std::vector<PayloadManifest>& manifests) {
  std::string text = StrCat(std::string(version), "\n");
  for (const PayloadManifest& each : manifests) {
    StrAppend(&text, each.file, "\n");
    AppendJson(each.object, text);
    text += '\n';
  }
  return absl::BytesToHexString(Sha256(text));
}

}  // namespace steward::olm
