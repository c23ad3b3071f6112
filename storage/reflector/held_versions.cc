#include "storage/reflector/held_versions.h"

#include <optional>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "kube/client/object_meta.h"

namespace steward::storage {
namespace {

// Nullopt if the object or its version cannot be identified.
std::optional<kube::VersionedMeta> VersionOf(const kube::RawObject& object) {
  absl::StatusOr<kube::VersionedMeta> decoded = kube::DecodeObjectMeta(object);
  if (!decoded.ok() || decoded->resource_version.empty()) return std::nullopt;
  return *std::move(decoded);
}

uint64_t KeyHash(const kube::ObjectMeta& meta) {
  return absl::HashOf(std::tie(meta.name.ns, meta.name.name));
}

}  // namespace

void HeldVersions::Clear() {
  versions_.clear();
  known_ = true;
}

void HeldVersions::Put(const kube::RawObject& object) {
  const std::optional<kube::VersionedMeta> version = VersionOf(object);
  known_ = version.has_value() && known_;
  if (!version.has_value()) return;
  versions_[KeyHash(version->meta)] =
      absl::HashOf(std::tie(version->meta.uid, version->resource_version));
}

void HeldVersions::Remove(const kube::RawObject& object) {
  const std::optional<kube::VersionedMeta> version = VersionOf(object);
  known_ = version.has_value() && known_;
  if (version.has_value()) versions_.erase(KeyHash(version->meta));
}

bool HeldVersions::SameAs(const HeldVersions& other) const {
  return known_ && other.known_ && versions_ == other.versions_;
}

}  // namespace steward::storage
