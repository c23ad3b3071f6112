#include "storage/embedded/loader/manifest_writer.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/write_options.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr int kTries = 5;
constexpr char kFieldManager[] = "steward-load";

// True when starting over may help: another client was faster.
bool IsRace(const absl::Status& status) {
  return kube::IsOvertaken(status) || kube::IsAlreadyExists(status);
}

kube::WriteOptions Options(const std::string& subresource, bool dry_run) {
  kube::WriteOptions options;
  options.subresource = subresource;
  options.dry_run = dry_run;
  options.field_manager = kFieldManager;
  return options;
}

const json::value* Member(const json::value& object, const char* key) {
  const json::object* members = object.if_object();
  return members == nullptr ? nullptr : members->if_contains(key);
}

const json::object* Metadata(const json::value& object) {
  const json::value* metadata = Member(object, "metadata");
  return metadata == nullptr ? nullptr : metadata->if_object();
}

json::value WithoutCounters(json::value object) {
  if (json::value* metadata = object.as_object().if_contains("metadata")) {
    for (const char* key : {"resourceVersion", "generation", "managedFields"}) {
      metadata->as_object().erase(key);
    }
  }
  return object;
}

// An absent status equals an empty one.
bool SameStatus(const json::value* present, const json::value& wanted) {
  if (present == nullptr) return wanted.is_object() && wanted.get_object().empty();
  return *present == wanted;
}

Task<json::value> Present(kube::Client& client, const PlannedObject& planned) {
  CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client.Get(planned.gvr, planned.name));
  JsonLimits limits;
  limits.max_size = kube::kMaxManifestFile;
  co_return ParseJson(raw.json, limits);
}

// Makes the present object equal to the planned one, and returns its new state.
Task<json::value> Replace(kube::Client& client, const PlannedObject& planned, Written& written) {
  CO_ASSIGN_OR_RETURN(json::value present, co_await Present(client, planned));
  const json::object* metadata = Metadata(present);
  if (metadata == nullptr) co_return absl::DataLossError("the object there has no metadata");
  if (metadata->contains("deletionTimestamp")) {
    co_return absl::FailedPreconditionError("it is there, and is being deleted");
  }
  json::value wanted = planned.object;
  json::object& wanted_metadata = wanted.as_object()["metadata"].as_object();
  if (!planned.name.ns.empty()) wanted_metadata["namespace"] = planned.name.ns;
  if (const json::value* version = metadata->if_contains("resourceVersion")) {
    wanted_metadata["resourceVersion"] = *version;
  }
  const kube::WriteOptions dry = Options("", true);
  CO_ASSIGN_OR_RETURN(json::value would_be, co_await client.Update(planned.gvr, wanted, dry));
  if (WithoutCounters(std::move(would_be)) == WithoutCounters(present)) co_return present;
  const kube::WriteOptions options = Options("", false);
  CO_ASSIGN_OR_RETURN(json::value updated, co_await client.Update(planned.gvr, wanted, options));
  if (written == Written::kUnchanged) written = Written::kUpdated;
  co_return updated;
}

// `written` says what has been written so far, also by earlier tries.
StatusTask WriteOnce(kube::Client& client, const PlannedObject& planned, Written& written) {
  const json::value object = planned.object;
  const kube::WriteOptions create = Options("", false);
  absl::StatusOr<json::value> now =
      co_await client.Create(planned.gvr, planned.name.ns, object, create);
  if (now.ok()) {
    written = Written::kCreated;
  } else if (kube::IsAlreadyExists(now.status())) {
    now = co_await Replace(client, planned, written);
  }
  CO_RETURN_IF_ERROR(now.status());
  if (!planned.status.has_value()) co_return absl::OkStatus();
  if (SameStatus(Member(*now, "status"), *planned.status)) co_return absl::OkStatus();
  now->as_object()["status"] = *planned.status;
  const kube::WriteOptions options = Options("status", false);
  CO_RETURN_IF_ERROR((co_await client.Update(planned.gvr, *now, options)).status());
  if (written == Written::kUnchanged) written = Written::kUpdated;
  co_return absl::OkStatus();
}

}  // namespace

Task<Written> WritePlanned(kube::Client& client, const PlannedObject& planned) {
  Written written = Written::kUnchanged;
  for (int tries = 1;; ++tries) {
    const absl::Status status = co_await WriteOnce(client, planned, written);
    if (status.ok()) co_return written;
    if (tries == kTries || !IsRace(status)) co_return status;
  }
}

}  // namespace steward::storage
