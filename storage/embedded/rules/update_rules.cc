#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "storage/embedded/rules/content_rules.h"
#include "storage/embedded/rules/identity_checks.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/metadata_checks.h"
#include "storage/embedded/rules/object_decode.h"
#include "storage/embedded/rules/object_meta.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/schema_checks.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

// Gives `to` the member that `from` has, or removes its own.
void CopyMember(std::string_view key, const json::object& from, json::object& to) {
  const json::value* value = from.if_contains(Key(key));
  if (value == nullptr) {
    to.stable_erase(Key(key));
  } else {
    to[Key(key)] = *value;
  }
}

absl::Status CheckSameUid(const kube::ResourceType& type, const json::object& stored_meta,
                          const json::object& meta) {
  const std::string_view stored = StringAt(stored_meta, "uid");
  const std::string_view uid = StringAt(meta, "uid");
  if (uid.empty() || uid == stored) return absl::OkStatus();
  // This message shows the object's key in Kubernetes' form, because clients know it from there.
  const std::string_view name = StringAt(stored_meta, "name");
  const std::string_view ns = StringAt(stored_meta, "namespace");
  const std::string key = StrCat(IsCustomResource(type) ? StrCat("/", type.gvk.group) : "", "/",
                                 type.plural, ns.empty() ? "" : StrCat("/", ns), "/", name);
  return kube::ToStatus(kube::Conflict(
      type.gvr(), name,
      StrCat("StorageError: invalid object, Code: 4, Key: ", key,
             ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ",
             uid, ", UID in object meta: ", stored)));
}

void KeepSystemFields(const json::object& stored_meta, json::object& meta) {
  for (const char* key : {"uid", "creationTimestamp", "generation", "resourceVersion"}) {
    CopyMember(key, stored_meta, meta);
  }
  // A client may leave these out. Other values are refused later, except that a stored
  // deletionTimestamp always stays.
  if (stored_meta.contains("deletionTimestamp")) CopyMember("deletionTimestamp", stored_meta, meta);
  if (!meta.contains("deletionGracePeriodSeconds"))
    CopyMember("deletionGracePeriodSeconds", stored_meta, meta);
}

bool SameButMetadata(const json::object& a, const json::object& b) {
  if (a.size() != b.size()) return false;
  for (const auto& member : a) {
    if (member.key() == "metadata") continue;
    const json::value* other = b.if_contains(member.key());
    if (other == nullptr || *other != member.value()) return false;
  }
  return true;
}

void CountGeneration(const json::object& stored, json::object& updated) {
  if (SameButMetadata(stored, updated)) return;
  const json::value* generation = MetaOf(stored).if_contains("generation");
  const int64_t old = generation != nullptr && generation->is_int64() ? generation->get_int64() : 0;
  updated["metadata"].get_object()["generation"] = old + 1;
}

// The result of a PUT over `stored`; `updated` is the right object in the right state.
absl::StatusOr<json::object> Replace(const kube::ResourceType& type, const json::object& stored,
                                     json::object updated, const kube::Schema* schema) {
  json::object& meta = updated["metadata"].get_object();
  KeepSystemFields(MetaOf(stored), meta);
  if (type.status_subresource) CopyMember("status", stored, updated);
  std::vector<kube::StatusCause> causes = UpdateCauses(type, MetaOf(stored), meta);
  for (kube::StatusCause& cause : TypeCauses(type, updated)) causes.push_back(std::move(cause));
  for (kube::StatusCause& cause : ContentCauses(type, updated, &stored)) {
    causes.push_back(std::move(cause));
  }
  AddSchemaCauses(schema, updated, &stored, causes);
  if (!causes.empty()) {
    return kube::ToStatus(kube::Invalid(GvkOf(updated), StringAt(meta, "name"), std::move(causes)));
  }
  if (CountsGenerations(type)) CountGeneration(stored, updated);
  meta = InOrder(meta);
  return updated;
}

bool WaitsForFinalizers(const json::object& object) {
  const json::array* finalizers = ArrayAt(MetaOf(object), "finalizers");
  return finalizers != nullptr && !finalizers->empty();
}

}  // namespace

absl::StatusOr<UpdateOutcome> PrepareUpdate(const kube::ResourceType& type,
                                            const json::object& stored, json::object updated,
                                            const std::string& subresource,
                                            const WriteContext& context) {
  const json::object& stored_meta = MetaOf(stored);
  ASSIGN_OR_RETURN(json::object object, DecodeBody(type, std::move(updated)));
  if (context.schema != nullptr) context.schema->Complete(object);
  json::object& meta = object["metadata"].get_object();
  RETURN_IF_ERROR(EnsureNamespace(type, StringAt(stored_meta, "namespace"), meta));
  RETURN_IF_ERROR(CheckSameName(stored_meta, meta));
  RETURN_IF_ERROR(CheckSameUid(type, stored_meta, meta));
  RETURN_IF_ERROR(CheckSameVersion(type, stored_meta, meta));

  if (subresource == "status") {
    json::object whole = stored;
    CopyMember("status", object, whole);
    std::vector<kube::StatusCause> causes;
    AddSchemaCauses(context.schema, whole, &stored, causes);
    if (!causes.empty()) {
      return kube::ToStatus(
          kube::Invalid(GvkOf(whole), StringAt(stored_meta, "name"), std::move(causes)));
    }
    object = std::move(whole);
  } else {
    ASSIGN_OR_RETURN(object, Replace(type, stored, std::move(object), context.schema));
  }
  UpdateOutcome outcome{UpdateOutcome::Kind::kChanged, std::move(object)};
  if (stored_meta.contains("deletionTimestamp") && WaitsForFinalizers(stored) &&
      !WaitsForFinalizers(outcome.object)) {
    outcome.kind = UpdateOutcome::Kind::kRemoved;
  } else if (outcome.object == stored) {
    outcome.kind = UpdateOutcome::Kind::kUnchanged;
  }
  return outcome;
}

}  // namespace steward::storage
