#include "storage/reflector/held_versions.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <tuple>

#include "absl/hash/hash.h"

namespace steward::storage {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

struct ObjectVersion {
  std::string ns, name, uid, resource_version;
};

error_code ReadMetadata(ondemand::object& metadata, ObjectVersion& out) {
  for (auto field : metadata) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    std::string* const target = key == "namespace"         ? &out.ns
                                : key == "name"            ? &out.name
                                : key == "uid"             ? &out.uid
                                : key == "resourceVersion" ? &out.resource_version
                                                           : nullptr;
    if (target == nullptr) continue;
    std::string_view text;
    if (const error_code error = field.value().get_string().get(text)) return error;
    target->assign(text);
  }
  return simdjson::SUCCESS;
}

// Returns false if the object or its version cannot be identified.
bool ReadVersion(const kube::RawObject& raw, ObjectVersion& out) {
  const simdjson::padded_string_view text(raw.json.data(), raw.json.size(),
                                          raw.json.size() + kube::RawObject::kPadding);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object metadata;
  if (parser.iterate(text).get(document) != simdjson::SUCCESS) return false;
  if (document.find_field_unordered("metadata").get_object().get(metadata) != simdjson::SUCCESS) {
    return false;
  }
  return ReadMetadata(metadata, out) == simdjson::SUCCESS && !out.name.empty() &&
         !out.uid.empty() && !out.resource_version.empty();
}

uint64_t KeyHash(const ObjectVersion& version) {
  return absl::HashOf(std::tie(version.ns, version.name));
}

}  // namespace

void HeldVersions::Clear() {
  versions_.clear();
  known_ = true;
}

void HeldVersions::Put(const kube::RawObject& object) {
  ObjectVersion version;
  known_ = ReadVersion(object, version) && known_;
  versions_[KeyHash(version)] = absl::HashOf(std::tie(version.uid, version.resource_version));
}

void HeldVersions::Remove(const kube::RawObject& object) {
  ObjectVersion version;
  known_ = ReadVersion(object, version) && known_;
  versions_.erase(KeyHash(version));
}

bool HeldVersions::SameAs(const HeldVersions& other) const {
  return known_ && other.known_ && versions_ == other.versions_;
}

}  // namespace steward::storage
