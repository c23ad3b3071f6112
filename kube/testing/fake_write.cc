#include "kube/testing/fake_write.h"

#include <string_view>
#include <utility>

#include "base/status/macros.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr const char* kTime = "2024-01-01T00:00:00Z";

json::object& MutableMetadata(json::value& object) { return object.at("metadata").as_object(); }

json::array Finalizers(const json::value& object) {
  const json::value* value = object.at("metadata").as_object().if_contains("finalizers");
  return value && value->is_array() ? value->as_array() : json::array();
}

// Copies the member `key` of `from` to `to`, or removes it if `from` has none.
void Copy(const json::object& from, json::object& to, const char* key) {
  if (const json::value* value = from.if_contains(key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

absl::Status CheckPrecondition(const GroupVersionResource& gvr, const json::value& stored,
                               const char* key, const std::string& asked, std::string_view why) {
  if (asked.empty() || asked == MetadataText(stored, key)) return absl::OkStatus();
  return ToStatus(Conflict(gvr, MetadataText(stored, "name"), why));
}

// Returns the object without its metadata and status.
json::object Content(const json::value& object) {
  json::object content = object.as_object();
  content.erase("metadata");
  content.erase("status");
  return content;
}

}  // namespace

void PrepareFakeCreate(json::value& object) {
  json::object& metadata = MutableMetadata(object);
  metadata.erase("resourceVersion");
  metadata.erase("deletionTimestamp");
  metadata["generation"] = 1;
  metadata["creationTimestamp"] = kTime;
}

absl::StatusOr<FakeWrite> FakeUpdate(const GroupVersionResource& gvr, const json::value& stored,
                                     json::value updated, const std::string& subresource) {
  json::object& metadata = MutableMetadata(updated);
  RETURN_IF_ERROR(CheckPrecondition(gvr, stored, "resourceVersion",
                                    MetadataText(updated, "resourceVersion"),
                                    "the object has been modified; please apply your changes to "
                                    "the latest version and try again"));
  RETURN_IF_ERROR(CheckPrecondition(gvr, stored, "uid", MetadataText(updated, "uid"),
                                    "Precondition failed: UID in precondition"));
  const json::object& old = stored.as_object();
  if (subresource == "status") {
    json::value next = stored;
    Copy(updated.as_object(), next.as_object(), "status");
    updated = std::move(next);
  } else {
    const json::object& old_metadata = old.at("metadata").as_object();
    for (const char* key : {"resourceVersion", "uid", "creationTimestamp", "generation",
                            "deletionTimestamp", "deletionGracePeriodSeconds"}) {
      Copy(old_metadata, metadata, key);
    }
    const json::value* generation = old_metadata.if_contains("generation");
    if (generation && Content(stored) != Content(updated)) {
      metadata["generation"] = generation->to_number<int64_t>() + 1;
    }
    Copy(old, updated.as_object(), "status");  // moves the members: `metadata` is no longer valid
  }
  if (updated == stored) return FakeWrite{FakeWrite::Kind::kUnchanged, std::move(updated)};
  const bool last_finalizer_went =
      MutableMetadata(updated).contains("deletionTimestamp") && Finalizers(updated).empty();
  return FakeWrite{last_finalizer_went ? FakeWrite::Kind::kRemoved : FakeWrite::Kind::kChanged,
                   std::move(updated)};
}

absl::StatusOr<FakeWrite> FakeDelete(const GroupVersionResource& gvr, const json::value& stored,
                                     const DeleteOptions& options) {
  RETURN_IF_ERROR(CheckPrecondition(gvr, stored, "uid", options.uid,
                                    "Precondition failed: UID in precondition"));
  RETURN_IF_ERROR(CheckPrecondition(gvr, stored, "resourceVersion", options.resource_version,
                                    "Precondition failed: ResourceVersion in precondition"));
  json::value object = stored;
  json::array finalizers = Finalizers(stored);
  const char* added = nullptr;
  if (options.propagation == DeleteOptions::Propagation::kForeground) added = "foregroundDeletion";
  if (options.propagation == DeleteOptions::Propagation::kOrphan) added = "orphan";
  json::object& metadata = MutableMetadata(object);
  if (metadata.contains("deletionTimestamp")) added = nullptr;
  if (added != nullptr) finalizers.emplace_back(added);
  if (finalizers.empty()) return FakeWrite{FakeWrite::Kind::kRemoved, std::move(object)};
  if (metadata.contains("deletionTimestamp")) {
    return FakeWrite{FakeWrite::Kind::kUnchanged, std::move(object)};
  }
  metadata["finalizers"] = std::move(finalizers);
  metadata["deletionTimestamp"] = kTime;
  metadata["deletionGracePeriodSeconds"] = 0;
  return FakeWrite{FakeWrite::Kind::kChanged, std::move(object)};
}

void MergePatch(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = json::object();
  for (const auto& [key, value] : patch.as_object()) {
    if (value.is_null()) {
      target.as_object().erase(key);
    } else {
      MergePatch(target.as_object()[key], value);
    }
  }
}

}  // namespace steward::kube
