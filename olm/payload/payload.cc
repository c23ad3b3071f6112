#include "olm/payload/payload.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cctype>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/object_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

const json::value* AnnotationAt(const json::object& object, std::string_view key) {
  const json::object* metadata = ObjectAt(object, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  return annotations == nullptr ? nullptr : annotations->if_contains(key);
}

// True for "true" in any case.
bool IsTrue(const json::value* value) {
  if (value == nullptr || !value->is_string()) return false;
  const std::string_view text = View(value->get_string());
  constexpr std::string_view kTrue = "true";
  return std::equal(text.begin(), text.end(), kTrue.begin(), kTrue.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

// Reads what identifies the object; false where something is missing.
bool ReadIdentity(const json::object& object, PayloadManifest& manifest) {
  manifest.gvk = kube::KindOf(object);
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata != nullptr) {
    manifest.identity.ns = StringAt(*metadata, "namespace");
    manifest.identity.name = StringAt(*metadata, "name");
  }
  manifest.identity.group = manifest.gvk.group;
  manifest.identity.kind = manifest.gvk.kind;
  return !manifest.gvk.version.empty() && !manifest.gvk.kind.empty() &&
         !manifest.identity.name.empty();
}

std::string Doing(bool deletes) { return deletes ? "deleted" : "applied"; }

}  // namespace

std::string PayloadIdentity::ToString() const {
  return StrCat(kind, group.empty() ? "" : ".", group, " \"", ns, ns.empty() ? "" : "/", name,
                "\"");
}

absl::StatusOr<bool> AsksForRemoval(const json::object& object) {
  const json::value* value = AnnotationAt(object, kPayloadDelete);
  if (value == nullptr) return false;
  if (value->is_string() && View(value->get_string()) == "true") return true;
  return absl::InvalidArgumentError(StrCat("the annotation ", kPayloadDelete, " is ",
                                           Serialize(*value),
                                           "; it may be nothing but the string \"true\""));
}

Payload ReadPayload(std::vector<PayloadDocument> documents) {
  Payload payload;
  // The first manifest of each object, whatever it does.
  std::map<PayloadIdentity, std::pair<std::string, bool>> seen;
  for (PayloadDocument& document : documents) {
    PayloadManifest manifest;
    manifest.file = std::move(document.file);
    manifest.where = document.where;
    if (!ReadIdentity(document.object, manifest)) {
      payload.faults.push_back({document.where, "a manifest needs apiVersion, kind and a name"});
      continue;
    }
    const absl::StatusOr<bool> deletes = AsksForRemoval(document.object);
    if (!deletes.ok()) {
      payload.faults.push_back({document.where, StrCat(manifest.identity.ToString(), ": ",
                                                       ToStd(deletes.status().message()))});
    }
    // One whose annotation is wrong may have been meant either way.
    manifest.deletes = deletes.ok() && *deletes;
    manifest.create_only =
        !manifest.deletes && IsTrue(AnnotationAt(document.object, kPayloadCreateOnly));
    const auto [first, is_new] =
        seen.emplace(manifest.identity, std::make_pair(document.where, manifest.deletes));
    if (!is_new) {
      payload.faults.push_back(
          {document.where,
           StrCat(manifest.identity.ToString(), " is ", Doing(manifest.deletes), " here, and ",
                  Doing(first->second.second), " by ", first->second.first)});
    }
    manifest.object = std::move(document.object);
    payload.manifests.push_back(std::move(manifest));
  }
  return payload;
}

}  // namespace steward::olm
