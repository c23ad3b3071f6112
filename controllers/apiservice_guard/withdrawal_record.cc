#include "controllers/apiservice_guard/withdrawal_record.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using Phase = WithdrawalRecord::Phase;

constexpr std::string_view kManager = "steward-apiservice-guard";
constexpr std::string_view kObjectKey = "apiservice.json";
constexpr absl::Duration kFirstHold = absl::Minutes(10);
constexpr absl::Duration kLongestHold = absl::Hours(6);
constexpr int kDoublings = 8;  // more make no difference

// The first entry of a phase is the one that is written. "Yielded" is from earlier versions:
// somebody else had created the APIService again meanwhile.
constexpr std::array<std::pair<Phase, std::string_view>, 5> kPhases = {{
    {Phase::kWithdrawing, "Withdrawing"},
    {Phase::kWithdrawn, "Withdrawn"},
    {Phase::kRestoring, "Restoring"},
    {Phase::kRestored, "Restored"},
    {Phase::kWithdrawn, "Yielded"},
}};

absl::Status Unreadable(const WithdrawalRecord& record, std::string_view what) {
  return absl::DataLossError(StrCat("ConfigMap ", record.name.name, ": ", what));
}

absl::StatusOr<WithdrawalRecord> Decode(kube::NamespacedName name, const json::value& stored) {
  WithdrawalRecord record;
  record.name = std::move(name);
  record.resource_version = kube::MetadataText(stored, "resourceVersion");
  record.record_uid = kube::MetadataText(stored, "uid");
  const json::object* members = stored.if_object();
  const json::object* data = members == nullptr ? nullptr : ObjectAt(*members, "data");
  if (data == nullptr) return Unreadable(record, "no data");
  for (const auto& [phase, text] : kPhases) {
    if (StringAt(*data, "phase") == text) record.phase = phase;
  }
  if (record.phase == Phase::kNone) return Unreadable(record, "unknown phase");
  record.uid = StringAt(*data, "uid");
  const std::string withdrawn(StringAt(*data, "withdrawn"));
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, withdrawn, &record.withdrawn, &error)) {
    return Unreadable(record, "no time of withdrawal");
  }
  const std::string again(StringAt(*data, "again"));
  if (!absl::SimpleAtoi(again, &record.again) || record.again < 0) {
    return Unreadable(record, "no count");
  }
  absl::StatusOr<json::value> object = ParseJson(StringAt(*data, kObjectKey));
  if (!object.ok()) return Unreadable(record, ToStd(object.status().message()));
  if (kube::MetadataOf(*object) == nullptr) return Unreadable(record, "no APIService");
  record.object = *std::move(object);
  return record;
}

json::object Encoded(const WithdrawalRecord& record) {
  json::object data;
  for (const auto& [phase, text] : kPhases) {
    if (record.phase == phase && !data.contains("phase")) data["phase"] = text;
  }
  data["uid"] = record.uid;
  data["withdrawn"] = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", record.withdrawn, absl::UTCTimeZone());
  data["again"] = StrCat(record.again);
  data[kObjectKey] = Serialize(record.object);
  return data;
}

}  // namespace

absl::Duration WithdrawalRecord::Hold() const {
  return std::min(kLongestHold, kFirstHold * (1 << std::min(again, kDoublings)));
}

Task<WithdrawalRecord> ReadRecord(kube::Client& client, kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(kube::kConfigMaps, name);
  if (kube::IsNotFound(raw.status(), name.name)) {
    WithdrawalRecord none;
    none.name = std::move(name);
    co_return none;
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value stored, ParseJson(raw->json));
  co_return Decode(std::move(name), stored);
}

StatusTask WriteRecord(kube::Client& client, WithdrawalRecord& record) {
  kube::WriteOptions options;
  options.field_manager = std::string(kManager);
  json::object object = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  json::object metadata = {{"name", record.name.name}, {"namespace", record.name.ns}};
  metadata["labels"] = {{"app.kubernetes.io/name", "steward"},
                        {"app.kubernetes.io/part-of", "steward"},
                        {"app.kubernetes.io/managed-by", kManager}};
  if (!record.resource_version.empty()) metadata["resourceVersion"] = record.resource_version;
  object["metadata"] = std::move(metadata);
  object["data"] = Encoded(record);
  const json::value stored = std::move(object);
  json::value answer;
  if (record.resource_version.empty()) {
    CO_ASSIGN_OR_RETURN(answer,
                        co_await client.Create(kube::kConfigMaps, record.name.ns, stored, options));
  } else {
    CO_ASSIGN_OR_RETURN(answer, co_await client.Update(kube::kConfigMaps, stored, options));
  }
  record.resource_version = kube::MetadataText(answer, "resourceVersion");
  record.record_uid = kube::MetadataText(answer, "uid");
  co_return absl::OkStatus();
}

StatusTask ForgetRecord(kube::Client& client, const WithdrawalRecord& record) {
  kube::DeleteOptions options;
  options.uid = record.record_uid;
  options.resource_version = record.resource_version;
  const absl::Status deleted =
      (co_await client.Delete(kube::kConfigMaps, record.name, options)).status();
  if (kube::IsNotFound(deleted, record.name.name)) co_return absl::OkStatus();
  co_return deleted;
}

}  // namespace steward::controllers
