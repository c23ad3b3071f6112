#include "kube/testing/fake_apply.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr const char* kTime = "2024-01-01T00:00:00Z";

using Path = std::vector<std::string>;
using Paths = std::set<Path>;

// Returns true if the paths are equal or one contains the other.
bool Overlap(const Path& a, const Path& b) {
  return std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(std::min(a.size(), b.size())),
                    b.begin());
}

bool AnyOverlaps(const Paths& paths, const Path& path) {
  return std::ranges::any_of(paths, [&](const Path& other) { return Overlap(path, other); });
}

// Collects the leaves of `object`: values that are not objects, and empty objects.
void CollectValues(const json::object& object, Path& path, std::map<Path, json::value>& out) {
  for (const auto& [key, value] : object) {
    path.emplace_back(View(key));
    const json::object* below = value.if_object();
    if (below != nullptr && !below->empty()) {
      CollectValues(*below, path, out);
    } else {
      out[path] = value;
    }
    path.pop_back();
  }
}

// Collects the owned paths. Ownership of a part of a list counts as that of the whole list.
void CollectOwned(const json::object& node, Path& path, Paths& out) {
  bool has_fields = false;
  for (const auto& [key, value] : node) {
    if (!key.starts_with("f:") || !value.is_object()) continue;
    has_fields = true;
    path.emplace_back(View(key).substr(2));
    CollectOwned(value.get_object(), path, out);
    path.pop_back();
  }
  if (!has_fields && !path.empty()) out.insert(path);
}

json::object FieldsV1(const Paths& paths) {
  json::object root;
  for (const Path& path : paths) {
    json::object* node = &root;
    for (const std::string& name : path) {
      json::value& below = (*node)[StrCat("f:", name)];
      if (!below.is_object()) below = json::object();
      node = &below.get_object();
    }
  }
  return root;
}

const json::value* Find(const json::object& object, const Path& path) {
  const json::object* parent = &object;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    parent = ObjectAt(*parent, path[i]);
    if (parent == nullptr) return nullptr;
  }
  return parent->if_contains(path.back());
}

// Returns true if `live` already has this value. An empty object only requires that some object
// exists.
bool Says(const json::value& value, const json::value* live) {
  if (live == nullptr) return value.is_null();
  return *live == value || (value.is_object() && live->is_object());
}

void Set(json::object& object, const Path& path, const json::value& value) {
  json::object* parent = &object;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    json::value& below = (*parent)[path[i]];
    if (!below.is_object()) below = json::object();
    parent = &below.get_object();
  }
  if (value.is_null()) {
    parent->erase(path.back());
  } else if (!Says(value, parent->if_contains(path.back()))) {
    (*parent)[path.back()] = value;
  }
}

// Removes the value at the path, and the objects that become empty.
void Remove(json::object& object, const Path& path, size_t depth = 0) {
  json::value* below = object.if_contains(path[depth]);
  if (below == nullptr) return;
  if (depth + 1 == path.size()) {
    object.erase(path[depth]);
  } else if (below->is_object()) {
    Remove(below->get_object(), path, depth + 1);
    if (below->get_object().empty()) object.erase(path[depth]);
  }
}

// Returns the parts of the manifest that a manager can own.
json::object Content(const json::object& manifest) {
  json::object content = manifest;
  for (const char* key : {"apiVersion", "kind", "status"}) content.erase(key);
  json::object& metadata = content["metadata"].as_object();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "generation",
                          "creationTimestamp", "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  if (metadata.empty()) content.erase("metadata");
  return content;
}

struct Owner {
  json::object entry;  // an entry of managedFields
  Paths paths;
};

std::vector<Owner> OwnersOf(const json::object& metadata) {
  std::vector<Owner> owners;
  const json::array* entries = ArrayAt(metadata, "managedFields");
  if (entries == nullptr) return owners;
  for (const json::value& value : *entries) {
    Owner owner{.entry = value.as_object(), .paths = {}};
    Path path;
    if (const json::object* fields = ObjectAt(owner.entry, "fieldsV1")) {
      CollectOwned(*fields, path, owner.paths);
    }
    owners.push_back(std::move(owner));
  }
  return owners;
}

bool IsAppliedBy(const json::object& entry, const std::string& manager) {
  return StringAt(entry, "manager") == manager && StringAt(entry, "operation") == "Apply" &&
         StringAt(entry, "subresource").empty();
}

absl::Status ApplyConflict(const std::vector<std::pair<std::string, Path>>& conflicts) {
  Status status;
  status.code = 409;
  status.reason = "Conflict";
  status.message = StrCat("Apply failed with ", conflicts.size(),
                          conflicts.size() == 1 ? " conflict:" : " conflicts:");
  for (const auto& [manager, path] : conflicts) {
    std::string field;
    for (const std::string& name : path) StrAppend(&field, ".", name);
    StrAppend(&status.message, status.causes.empty() ? " " : ", ", "conflict with \"", manager,
              "\": ", field);
    status.causes.push_back(
        {"FieldManagerConflict", StrCat("conflict with \"", manager, "\""), field});
  }
  return ToStatus(status);
}

absl::Status CheckRequest(const FakeApplyRequest& request, const json::value& manifest) {
  if (request.manager.empty()) {
    return ToStatus(Invalid(
        {"meta.k8s.io", "v1", "PatchOptions"}, "",
        {{"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"}}));
  }
  const json::object* object = manifest.if_object();
  if (object == nullptr || StringAt(*object, "apiVersion").empty() ||
      StringAt(*object, "kind").empty() || MetadataOf(manifest) == nullptr) {
    return ToStatus(BadRequest("an apply needs apiVersion, kind and metadata"));
  }
  if (NameOf(manifest).name != request.name.name ||
      (!NameOf(manifest).ns.empty() && NameOf(manifest).ns != request.name.ns)) {
    return ToStatus(BadRequest("the name of the object does not match the name on the URL"));
  }
  if (MetadataOf(manifest)->contains("managedFields")) {
    return ToStatus(BadRequest("metadata.managedFields must be nil"));
  }
  return absl::OkStatus();
}

json::array ManagedFields(std::vector<Owner> owners, const FakeApplyRequest& request,
                          std::string_view api_version, const Paths& paths) {
  const json::object mine = {
      {"manager", request.manager},
      {"operation", "Apply"},
      {"apiVersion", json::string_view(api_version.data(), api_version.size())},
      {"time", kTime},
      {"fieldsType", "FieldsV1"},
      {"fieldsV1", FieldsV1(paths)}};
  json::array entries;
  bool written = false;
  for (Owner& owner : owners) {
    if (IsAppliedBy(owner.entry, request.manager)) {
      owner.entry = mine;
      written = true;
    } else if (owner.paths.empty()) {
      continue;
    }
    entries.push_back(std::move(owner.entry));
  }
  if (!written) entries.push_back(mine);
  return entries;
}

}  // namespace

absl::StatusOr<FakeWrite> FakeApply(const FakeApplyRequest& request, const json::value* stored,
                                    const json::value& manifest) {
  RETURN_IF_ERROR(CheckRequest(request, manifest));
  const json::object& said = manifest.get_object();
  std::map<Path, json::value> values;
  Path root;
  CollectValues(Content(said), root, values);
  Paths paths;
  for (const auto& [path, value] : values) paths.insert(path);

  const std::string uid = MetadataText(manifest, "uid");
  if (stored == nullptr && !uid.empty()) {
    return ToStatus(Conflict(request.gvr, request.name.name,
                             StrCat("uid mismatch: the provided object specified uid ", uid,
                                    ", and no existing object was found")));
  }
  json::value next = stored == nullptr ? json::value{{"metadata", json::object()}} : *stored;
  json::object& object = next.as_object();
  std::vector<Owner> owners = OwnersOf(object.at("metadata").as_object());

  std::vector<std::pair<std::string, Path>> conflicts;
  for (Owner& owner : owners) {
    if (IsAppliedBy(owner.entry, request.manager)) continue;
    Paths lost;
    for (const auto& [path, value] : values) {
      const json::value* live = Find(object, path);
      if (Says(value, live) || !AnyOverlaps(owner.paths, path)) continue;
      lost.insert(path);
      conflicts.emplace_back(StringAt(owner.entry, "manager"), path);
    }
    if (lost.empty()) continue;
    std::erase_if(owner.paths, [&](const Path& path) { return AnyOverlaps(lost, path); });
    owner.entry["fieldsV1"] = FieldsV1(owner.paths);
  }
  if (!conflicts.empty() && !request.force) return ApplyConflict(conflicts);

  for (const Owner& mine : owners) {
    if (!IsAppliedBy(mine.entry, request.manager)) continue;
    for (const Path& path : mine.paths) {
      const bool kept = std::ranges::any_of(paths, [&](const Path& other) {
        return other.size() >= path.size() && Overlap(path, other);
      });
      const bool of_others = std::ranges::any_of(owners, [&](const Owner& owner) {
        return &owner != &mine && AnyOverlaps(owner.paths, path);
      });
      if (!kept && !of_others) Remove(object, path);
    }
  }
  for (const auto& [path, value] : values) Set(object, path, value);

  object["apiVersion"] = said.at("apiVersion");
  object["kind"] = said.at("kind");
  json::object& metadata = object["metadata"].as_object();
  metadata["name"] = request.name.name;
  if (!request.name.ns.empty()) metadata["namespace"] = request.name.ns;
  metadata["managedFields"] =
      ManagedFields(std::move(owners), request, StringAt(said, "apiVersion"), paths);
  if (stored == nullptr) {
    PrepareFakeCreate(next);
    return FakeWrite{FakeWrite::Kind::kChanged, std::move(next)};
  }
  for (const char* key : {"uid", "resourceVersion"}) {
    const std::string asked = MetadataText(manifest, key);
    if (!asked.empty()) metadata[key] = asked;
  }
  return FakeUpdate(request.gvr, *stored, std::move(next), "");
}

}  // namespace steward::kube
