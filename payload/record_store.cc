#include "payload/record_store.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-payload";

kube::WriteOptions Options() {
  kube::WriteOptions options;
  options.field_manager = kManager;
  return options;
}

}  // namespace

StatusTask RecordStore::Load() {
  current_ = absl::AbortedError("the payload's record was not read yet");
  const kube::NamespacedName name = {ns_, std::string(olm::kRecordName)};
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kube::kConfigMaps, name);
  json::value value;
  json::object data;
  if (!kube::IsNotFound(raw.status(), name.name)) {
    if (!raw.ok()) co_return WithContext("the payload's record", raw.status());
    CO_ASSIGN_OR_RETURN(value, ParseJson(raw->json));
    if (!value.is_object()) co_return absl::DataLossError("the payload's record is no object");
    if (const json::object* said = ObjectAt(value.get_object(), "data")) data = *said;
  }
  CO_ASSIGN_OR_RETURN(record_, olm::ReadPayloadRecord(data));
  written_ = std::move(data);
  resource_version_ = kube::MetadataText(value, "resourceVersion");
  uid_ = kube::MetadataText(value, "uid");
  known_ = true;
  current_ = absl::OkStatus();
  co_return current_;
}

StatusTask RecordStore::Change(std::function<void(olm::PayloadRecord&)> change) {
  while (writing_) {
    co_await written_once_.WaitSince(written_once_.Now(),
                                     std::chrono::steady_clock::time_point::max());
  }
  CO_RETURN_IF_ERROR(current_);
  olm::PayloadRecord next = record_;
  change(next);
  CO_ASSIGN_OR_RETURN(const json::object data, olm::WritePayloadRecord(next));
  if (data == written_) co_return absl::OkStatus();
  struct Writing {
    RecordStore& store;
    ~Writing() {
      store.writing_ = false;
      store.written_once_.Notify();
    }
  } writing{*this};
  writing_ = true;
  // Until the answer arrives, or if the call is cancelled, the stored record is unknown.
  current_ = absl::AbortedError("a write of the payload's record has no answer");
  const absl::Status written = co_await Write(data);
  if (kube::IsConflict(written) || kube::IsAlreadyExists(written)) {
    current_ = absl::AbortedError("another process has changed the payload's record");
    co_return current_;
  }
  if (!written.ok()) {
    current_ = WithContext("the payload's record", written);
    co_return current_;
  }
  record_ = std::move(next);
  written_ = data;
  current_ = absl::OkStatus();
  co_return current_;
}

StatusTask RecordStore::Confirm() {
  co_return co_await Change([](olm::PayloadRecord& record) { ++record.turn; });
}

StatusTask RecordStore::Write(const json::object& data) {
  json::object metadata = {{"name", olm::kRecordName},
                           {"namespace", ns_},
                           {"labels", {{"app.kubernetes.io/part-of", "steward"}}}};
  if (!resource_version_.empty()) metadata["resourceVersion"] = resource_version_;
  const json::value object = {{"apiVersion", "v1"},
                              {"kind", "ConfigMap"},
                              {"metadata", std::move(metadata)},
                              {"data", data}};
  json::value answer;
  if (resource_version_.empty()) {
    CO_ASSIGN_OR_RETURN(answer, co_await Create(object));
  } else {
    const kube::WriteOptions options = Options();
    CO_ASSIGN_OR_RETURN(answer, co_await client_.Update(kube::kConfigMaps, object, options));
  }
  resource_version_ = kube::MetadataText(answer, "resourceVersion");
  uid_ = kube::MetadataText(answer, "uid");
  co_return absl::OkStatus();
}

Task<json::value> RecordStore::Create(const json::value& object) {
  const kube::WriteOptions options = Options();
  absl::StatusOr<json::value> created =
      co_await client_.Create(kube::kConfigMaps, ns_, object, options);
  if (!kube::IsNotFound(created.status(), ns_)) co_return std::move(created);
  const json::value ns = {
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns_}}}};
  CO_RETURN_IF_ERROR((co_await client_.Create(kube::kNamespaces, "", ns, options)).status());
  created = co_await client_.Create(kube::kConfigMaps, ns_, object, options);
  co_return std::move(created);
}

}  // namespace steward::payload
