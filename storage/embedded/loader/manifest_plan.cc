#include "storage/embedded/loader/manifest_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/schema/schema.h"
#include "storage/embedded/rules/object_meta.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/types/builtin_types.h"
#include "storage/embedded/types/crd.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr std::string_view kDefaultNamespace = "default";
// The group of the objects that Steward computes.
constexpr std::string_view kViewsGroup = "views.operators.coreos.com";
// The fields that a server sets. Owners are named by UIDs, which mean nothing in another cluster.
constexpr const char* kServerFields[] = {"uid",
                                         "resourceVersion",
                                         "generation",
                                         "creationTimestamp",
                                         "selfLink",
                                         "managedFields",
                                         "deletionTimestamp",
                                         "deletionGracePeriodSeconds",
                                         "ownerReferences"};

std::string_view Text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(Key(key));
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : View(*text);
}

json::object* Metadata(json::object& object) {
  json::value* metadata = object.if_contains("metadata");
  return metadata == nullptr ? nullptr : metadata->if_object();
}

absl::StatusOr<kube::GroupVersionKind> KindOf(const json::object& object) {
  const std::string_view version = Text(object, "apiVersion");
  const std::string_view kind = Text(object, "kind");
  if (version.empty() || kind.empty()) {
    return absl::InvalidArgumentError("has no apiVersion or no kind");
  }
  const size_t slash = version.find('/');
  if (slash == std::string_view::npos) {
    return kube::GroupVersionKind{"", std::string(version), std::string(kind)};
  }
  return kube::GroupVersionKind{std::string(version.substr(0, slash)),
                                std::string(version.substr(slash + 1)), std::string(kind)};
}

bool IsDefinition(const kube::GroupVersionKind& kind) {
  return kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition";
}
bool IsNamespace(const kube::GroupVersionKind& kind) {
  return kind.group.empty() && kind.kind == "Namespace";
}

// Null counts as absent.
absl::Status CheckText(const json::object& metadata, const char* field) {
  const json::value* value = metadata.if_contains(field);
  if (value == nullptr || value->is_null() || value->is_string()) return absl::OkStatus();
  const std::string text = Serialize(*value);
  if (value->is_structured()) {
    return absl::InvalidArgumentError(StrCat("metadata.", field, " is no text"));
  }
  return absl::InvalidArgumentError(
      StrCat("metadata.", field, " is ", text,
             ", which is no text: YAML reads words like n, no, off and "
             "y so, and numbers; put it in quotes"));
}

class Planner {
 public:
  Planner(kube::Manifests manifests, const Catalog& present)
      : manifests_(std::move(manifests)), present_(present) {}

  ManifestPlan Run() && {
    plan_.problems = std::move(manifests_.problems);
    const Catalog given(Definitions());
    for (kube::ManifestObject& manifest : manifests_.objects) {
      const absl::Status status = Add(manifest, given);
      if (!status.ok()) Refuse(manifest.where, status);
    }
    FindMissingNamespaces();
    return std::move(plan_);
  }

 private:
  // The usable definitions among the objects. Unusable ones are refused when they are planned.
  std::vector<json::object> Definitions() {
    std::vector<json::object> definitions;
    for (const kube::ManifestObject& manifest : manifests_.objects) {
      const absl::StatusOr<kube::GroupVersionKind> kind = KindOf(manifest.object);
      if (!kind.ok() || !IsDefinition(*kind)) continue;
      json::object definition = manifest.object;
      json::object* metadata = Metadata(definition);
      if (metadata == nullptr || !CheckCrd(definition).ok()) continue;
      metadata->erase("deletionTimestamp");
      definitions.push_back(std::move(definition));
    }
    return definitions;
  }

  absl::Status Add(kube::ManifestObject& manifest, const Catalog& given) {
    ASSIGN_OR_RETURN(const kube::GroupVersionKind kind, KindOf(manifest.object));
    const Catalog& catalog = given.FindKind(kind) != nullptr ? given : present_;
    const kube::ResourceType* type = catalog.FindKind(kind);
    if (type == nullptr && kind.group == kViewsGroup) {
      return absl::InvalidArgumentError(
          StrCat(kind.kind, " is computed from other objects, and never stored: load those"));
    }
    if (type == nullptr) {
      return absl::NotFoundError(
          StrCat("nothing here serves ", kind.kind, " of ", kind.ApiVersion()));
    }
    json::object& object = manifest.object;
    json::object* metadata = Metadata(object);
    if (metadata == nullptr) {
      return absl::InvalidArgumentError(StrCat(kind.kind, " has no metadata.name"));
    }
    for (const char* field : {"name", "namespace"}) RETURN_IF_ERROR(CheckText(*metadata, field));
    if (Text(*metadata, "name").empty()) {
      return absl::InvalidArgumentError(StrCat(kind.kind, " has no metadata.name"));
    }
    PlannedObject planned;
    planned.where = manifest.where;
    planned.gvr = type->gvr();
    planned.kind = kind.kind;
    planned.name.name = Text(*metadata, "name");
    if (type->namespaced) {
      const std::string_view ns = Text(*metadata, "namespace");
      planned.name.ns = ns.empty() ? kDefaultNamespace : ns;
    }
    const bool had_owners = metadata->contains("ownerReferences");
    for (const char* field : kServerFields) metadata->erase(field);
    TakeStatus(*type, object, planned);
    planned.object = std::move(object);
    RETURN_IF_ERROR(Check(*type, planned, catalog.SchemaOf(*type)));
    RETURN_IF_ERROR(CheckFirst(planned));
    if (had_owners) ++plan_.without_owners;
    ListFor(kind).push_back(std::move(planned));
    return absl::OkStatus();
  }

  static void TakeStatus(const kube::ResourceType& type, json::object& object,
                         PlannedObject& planned) {
    if (!type.status_subresource) return;
    json::value* status = object.if_contains("status");
    const bool servers = IsDefinition(type.gvk) || IsNamespace(type.gvk);
    if (status != nullptr && !status->is_null() && !servers) planned.status = std::move(*status);
    object.erase("status");
  }

  // Makes the store's checks, so that refusals come before the first write.
  static absl::Status Check(const kube::ResourceType& type, const PlannedObject& planned,
                            const kube::Schema* schema) {
    WriteContext context;
    context.schema = schema;
    context.now = absl::UnixEpoch();
    context.new_uid = "00000000-0000-0000-0000-000000000000";
    ASSIGN_OR_RETURN(json::object prepared,
                     PrepareCreate(type, planned.name.ns, planned.object, context));
    if (IsDefinition(type.gvk)) return CheckCrd(prepared);
    if (!planned.status.has_value()) return absl::OkStatus();
    json::object& metadata = prepared["metadata"].get_object();
    metadata["resourceVersion"] = "1";
    json::object with_status = prepared;
    with_status["status"] = *planned.status;
    return PrepareUpdate(type, prepared, std::move(with_status), "status", context).status();
  }

  absl::Status CheckFirst(const PlannedObject& planned) {
    const auto [place, first] = seen_.emplace(
        std::make_tuple(planned.gvr.GroupResource(), planned.name.ns, planned.name.name),
        planned.where);
    if (first) return absl::OkStatus();
    return absl::AlreadyExistsError(
        StrCat(planned.Name(), " is there already, at ", place->second));
  }

  std::vector<PlannedObject>& ListFor(const kube::GroupVersionKind& kind) {
    if (IsDefinition(kind)) return plan_.definitions;
    return IsNamespace(kind) ? plan_.namespaces : plan_.others;
  }

  void Refuse(const std::string& where, const absl::Status& status) {
    plan_.problems.push_back({where, std::string(status.message())});
  }

  void FindMissingNamespaces() {
    std::set<std::string> missing;
    for (const PlannedObject& other : plan_.others) missing.insert(other.name.ns);
    for (const PlannedObject& ns : plan_.namespaces) missing.erase(ns.name.name);
    missing.erase("");
    plan_.missing_namespaces.assign(missing.begin(), missing.end());
  }

  kube::Manifests manifests_;
  const Catalog& present_;
  ManifestPlan plan_;
  // The place where each object came first.
  std::map<std::tuple<std::string, std::string, std::string>, std::string> seen_;
};

}  // namespace

std::string PlannedObject::Name() const {
  return StrCat(kind, " ", name.ns, name.ns.empty() ? "" : "/", name.name);
}

ManifestPlan PlanManifests(kube::Manifests manifests, const Catalog& present) {
  return Planner(std::move(manifests), present).Run();
}

}  // namespace steward::storage
