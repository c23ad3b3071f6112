#include "storage/embedded/lifecycle/owner_rules.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "storage/embedded/rules/object_meta.h"
#include "storage/embedded/store/object_body.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool HasFinalizer(const json::object& metadata, std::string_view finalizer) {
  const json::array* finalizers = ArrayAt(metadata, "finalizers");
  if (finalizers == nullptr) return false;
  const json::value wanted(finalizer);
  return std::find(finalizers->begin(), finalizers->end(), wanted) != finalizers->end();
}

bool IsMarked(const json::object& metadata) { return metadata.contains("deletionTimestamp"); }

kube::GroupVersionKind KindOf(const json::object& reference) {
  const std::string_view api_version = StringAt(reference, "apiVersion");
  const size_t slash = api_version.find('/');
  kube::GroupVersionKind gvk;
  if (slash != std::string_view::npos) gvk.group = api_version.substr(0, slash);
  gvk.version = api_version.substr(slash == std::string_view::npos ? 0 : slash + 1);
  gvk.kind = StringAt(reference, "kind");
  return gvk;
}

enum class OwnerState {
  kAlive,
  kAbsent,
  kWaiting,  // deleted in the foreground: the owner waits for its dependents
};

absl::StatusOr<OwnerState> StateOf(Transaction& transaction, const json::object& reference,
                                   const std::string& dependent_ns) {
  const kube::ResourceType* type = transaction.catalog().FindKind(KindOf(reference));
  // A reference cannot be checked if its kind is not served here, or if the owner is in a namespace
  // and the dependent is in none.
  if (type == nullptr || (type->namespaced && dependent_ns.empty())) return OwnerState::kAlive;
  const std::string key =
      KeyOf(type->namespaced ? dependent_ns : std::string(), StringAt(reference, "name"));
  ASSIGN_OR_RETURN(const std::optional<json::object> owner, transaction.Get(*type, key));
  if (!owner.has_value()) return OwnerState::kAbsent;
  const json::object& metadata = MetaOf(*owner);
  if (StringAt(metadata, "uid") != StringAt(reference, "uid")) return OwnerState::kAbsent;
  const bool waiting = IsMarked(metadata) && HasFinalizer(metadata, kForeground);
  return waiting ? OwnerState::kWaiting : OwnerState::kAlive;
}

absl::Status KeepOnly(Transaction& transaction, const kube::ResourceType& type,
                      const std::string& key, json::object object, json::array references) {
  json::object& metadata = object["metadata"].as_object();
  if (references.empty()) {
    metadata.erase("ownerReferences");
  } else {
    metadata["ownerReferences"] = std::move(references);
  }
  return transaction.Put(type, key, object).status();
}

absl::Status DeleteDependent(Transaction& transaction, const kube::ResourceType& type,
                             const std::string& key, kube::DeleteOptions::Propagation propagation,
                             const ContextSource& context) {
  kube::DeleteOptions options;
  options.propagation = propagation;
  return DeleteStored(transaction, type, NameOf(key), options, context).status();
}

absl::StatusOr<bool> BlocksOwner(Transaction& transaction, const Dependent& dependent,
                                 const std::string& owner_uid) {
  const kube::ResourceType* type = transaction.catalog().FindStored(dependent.resource);
  if (type == nullptr) return false;
  ASSIGN_OR_RETURN(const std::optional<json::object> object, transaction.Get(*type, dependent.key));
  if (!object.has_value()) return false;
  const json::array* references = ArrayAt(MetaOf(*object), "ownerReferences");
  if (references == nullptr) return false;
  return std::any_of(references->begin(), references->end(), [&](const json::value& reference) {
    if (!reference.is_object() || StringAt(reference.get_object(), "uid") != owner_uid)
      return false;
    return BoolAt(reference.get_object(), "blockOwnerDeletion");
  });
}

absl::Status DropReferencesTo(Transaction& transaction, const Dependent& dependent,
                              const std::string& owner_uid) {
  const kube::ResourceType* type = transaction.catalog().FindStored(dependent.resource);
  if (type == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::optional<json::object> object, transaction.Get(*type, dependent.key));
  if (!object.has_value()) return absl::OkStatus();
  const json::array* references = ArrayAt(MetaOf(*object), "ownerReferences");
  if (references == nullptr) return absl::OkStatus();
  json::array kept;
  for (const json::value& reference : *references) {
    if (!reference.is_object() || StringAt(reference.get_object(), "uid") != owner_uid) {
      kept.push_back(reference);
    }
  }
  return KeepOnly(transaction, *type, dependent.key, *std::move(object), std::move(kept));
}

// True if a finalizer other than the garbage collector's holds the object.
bool HasOthers(const json::object& metadata) {
  const json::array* finalizers = ArrayAt(metadata, "finalizers");
  return finalizers != nullptr &&
         std::any_of(finalizers->begin(), finalizers->end(), [](const json::value& finalizer) {
           const std::string_view name = View(finalizer.as_string());
           return name != kOrphan && name != kForeground;
         });
}

}  // namespace

bool NeedsRelease(const json::object& metadata) {
  return IsMarked(metadata) &&
         (HasFinalizer(metadata, kForeground) || HasFinalizer(metadata, kOrphan));
}

absl::Status CollectDependent(Transaction& transaction, const ObjectKey& dependent,
                              const ContextSource& context) {
  const kube::ResourceType* type = transaction.catalog().FindStored(dependent.resource);
  if (type == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::optional<json::object> object, transaction.Get(*type, dependent.key));
  if (!object.has_value()) return absl::OkStatus();
  const json::object& metadata = MetaOf(*object);
  const json::array* references = ArrayAt(metadata, "ownerReferences");
  if (references == nullptr || references->empty()) return absl::OkStatus();
  if (IsMarked(metadata) && !HasFinalizer(metadata, kForeground)) return absl::OkStatus();

  json::array alive;
  bool waiting = false;
  for (const json::value& reference : *references) {
    if (!reference.is_object()) continue;
    ASSIGN_OR_RETURN(const OwnerState state,
                     StateOf(transaction, reference.get_object(), NameOf(dependent.key).ns));
    if (state == OwnerState::kAlive) alive.push_back(reference);
    if (state == OwnerState::kWaiting) waiting = true;
  }
  if (alive.size() == references->size()) return absl::OkStatus();
  if (!alive.empty()) {
    return KeepOnly(transaction, *type, dependent.key, *std::move(object), std::move(alive));
  }
  // A dependent for which an owner waits may itself have dependents to wait for.
  const std::string uid(StringAt(metadata, "uid"));
  ASSIGN_OR_RETURN(const std::vector<Dependent> own, transaction.table().DependentsOf(uid));
  const auto propagation = waiting && !own.empty() ? kube::DeleteOptions::Propagation::kForeground
                                                   : kube::DeleteOptions::Propagation::kDefault;
  return DeleteDependent(transaction, *type, dependent.key, propagation, context);
}

absl::StatusOr<bool> ReleaseOwner(Transaction& transaction, const ObjectKey& owner,
                                  const ContextSource& context) {
  const kube::ResourceType* type = transaction.catalog().FindStored(owner.resource);
  if (type == nullptr) return true;
  ASSIGN_OR_RETURN(const std::optional<json::object> object, transaction.Get(*type, owner.key));
  if (!object.has_value() || !NeedsRelease(MetaOf(*object))) return true;
  const std::string uid(StringAt(MetaOf(*object), "uid"));
  ASSIGN_OR_RETURN(const std::vector<Dependent> dependents, transaction.table().DependentsOf(uid));
  if (HasFinalizer(MetaOf(*object), kOrphan)) {
    for (const Dependent& dependent : dependents) {
      RETURN_IF_ERROR(DropReferencesTo(transaction, dependent, uid));
    }
    if (HasOthers(MetaOf(*object))) return true;
    RETURN_IF_ERROR(RemoveFinalizer(transaction, *type, owner.key, kOrphan));
    return true;
  }
  bool blocked = false;
  for (const Dependent& dependent : dependents) {
    RETURN_IF_ERROR(CollectDependent(transaction, {dependent.resource, dependent.key}, context));
    ASSIGN_OR_RETURN(const bool blocks, BlocksOwner(transaction, dependent, uid));
    blocked = blocked || blocks;
  }
  if (blocked) return false;
  if (HasOthers(MetaOf(*object))) return true;
  RETURN_IF_ERROR(RemoveFinalizer(transaction, *type, owner.key, kForeground));
  return true;
}

absl::Status RemoveFinalizer(Transaction& transaction, const kube::ResourceType& type,
                             const std::string& key, std::string_view finalizer) {
  ASSIGN_OR_RETURN(std::optional<json::object> object, transaction.Get(type, key));
  if (!object.has_value()) return absl::OkStatus();
  json::object& metadata = (*object)["metadata"].as_object();
  if (!HasFinalizer(metadata, finalizer)) return absl::OkStatus();
  json::array& finalizers = metadata["finalizers"].as_array();
  const json::value gone(finalizer);
  finalizers.erase(std::find(finalizers.begin(), finalizers.end(), gone));
  if (finalizers.empty()) {
    if (IsMarked(metadata)) return transaction.Remove(type, key).status();
    metadata.erase("finalizers");
  }
  return transaction.Put(type, key, *object).status();
}

}  // namespace steward::storage
