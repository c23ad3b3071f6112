#include "storage/embedded/operations/write_operations.h"

#include <array>
#include <boost/json/array.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/status.h"
#include "kube/meta/uuid.h"
#include "storage/embedded/operations/namespace_rules.h"
#include "storage/embedded/store/object_body.h"
#include "storage/embedded/types/builtin_types.h"
#include "storage/embedded/types/crd.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

// Like kube-apiserver, a create tries another name when a generated one is taken.
constexpr int kNameTries = 8;

// The alphabet has no vowels and no similar characters, so that suffixes are no words.
constexpr std::string_view kSuffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

bool IsNamespace(const kube::ResourceType& type) {
  return type.gvk.group.empty() && type.plural == kNamespaces;
}

bool IsCrd(const kube::ResourceType& type) {
  return type.gvr().GroupResource() == kCustomResourceDefinitions;
}

json::object& MetadataOf(json::object& object) { return object["metadata"].as_object(); }

bool IsMarked(const json::object& object) {
  return object.at("metadata").as_object().contains("deletionTimestamp");
}

std::string_view NameIn(const json::object& object) {
  const json::string& name = object.at("metadata").as_object().at("name").as_string();
  return {name.data(), name.size()};
}

bool IsNamed(const json::object& object) {
  const json::value* name = object.at("metadata").as_object().if_contains("name");
  return name != nullptr && name->is_string() && !name->get_string().empty();
}

// True for the errors that kube-apiserver finds before it looks at the namespace.
bool IsRefusedOnDecoding(const absl::Status& status) {
  return !status.ok() && kube::FromStatus(status).code == 400;
}

// The object in the version that the client requested.
json::value Answer(const kube::ResourceType& type, json::object object) {
  object["apiVersion"] = type.gvk.ApiVersion();
  object["kind"] = type.gvk.kind;
  return object;
}

absl::StatusOr<const kube::ResourceType*> FindType(Transaction& transaction,
                                                   const kube::GroupVersionResource& gvr) {
  const kube::ResourceType* type = transaction.catalog().Find(gvr);
  if (type == nullptr) return kube::ToStatus(kube::NotFoundPath());
  return type;
}

absl::Status CheckSubresource(const kube::ResourceType& type, const std::string& subresource) {
  if (subresource.empty() || (subresource == "status" && type.status_subresource)) {
    return absl::OkStatus();
  }
  return kube::ToStatus(kube::NotFoundPath());
}

// The object that a verb other than create works on, as `type` shows it.
absl::StatusOr<json::object> Stored(Transaction& transaction, const kube::ResourceType& type,
                                    const kube::NamespacedName& name) {
  ASSIGN_OR_RETURN(std::optional<json::object> stored,
                   transaction.Get(type, KeyOf(name.ns, name.name)));
  if (!stored.has_value()) return kube::ToStatus(kube::NotFound(type.gvr(), name.name));
  return *std::move(stored);
}

absl::Status PutUnlessDry(Transaction& transaction, const kube::ResourceType& type,
                          const std::string& key, bool dry_run, json::object& object) {
  if (dry_run) return absl::OkStatus();
  return transaction.Put(type, key, object).status();
}

// Refuses new objects of a definition that is being deleted.
absl::Status CheckDefinitionStays(Transaction& transaction, const kube::ResourceType& type) {
  if (!transaction.catalog().IsTerminating(type.gvr().GroupResource())) return absl::OkStatus();
  return kube::ToStatus(kube::Forbidden(
      type.gvr(), "", "create not allowed while custom resource definition is terminating"));
}

absl::Status CompleteNew(const kube::ResourceType& type, absl::Time now, json::object& object) {
  if (IsNamespace(type)) CompleteNamespace(object);
  if (type.gvk.group.empty() && type.gvk.kind == "Secret") object.emplace("type", "Opaque");
  if (IsCrd(type)) {
    RETURN_IF_ERROR(CheckCrd(object));
    CompleteCrd(object, now);
  }
  return absl::OkStatus();
}

absl::StatusOr<json::value> FinishUpdate(Transaction& transaction, const kube::ResourceType& type,
                                         const kube::NamespacedName& name,
                                         const json::object& stored, json::object updated,
                                         const kube::WriteOptions& options, WriteContext context) {
  context.schema = transaction.catalog().SchemaOf(type);
  if (IsNamespace(type)) KeepNamespaceSpec(stored, updated);
  ASSIGN_OR_RETURN(UpdateOutcome outcome,
                   PrepareUpdate(type, stored, std::move(updated), options.subresource, context));
  if (IsCrd(type)) {
    RETURN_IF_ERROR(CheckCrd(outcome.object));
    RETURN_IF_ERROR(CheckCrdUpdate(stored, outcome.object));
    if (options.subresource.empty()) CompleteCrd(outcome.object, context.now);
  }
  const std::string key = KeyOf(name.ns, name.name);
  const bool removed = outcome.kind == UpdateOutcome::Kind::kRemoved &&
                       !(IsNamespace(type) && HasNamespaceFinalizer(outcome.object));
  if (removed) {
    if (!options.dry_run) RETURN_IF_ERROR(transaction.Remove(type, key).status());
  } else if (outcome.kind != UpdateOutcome::Kind::kUnchanged) {
    RETURN_IF_ERROR(PutUnlessDry(transaction, type, key, options.dry_run, outcome.object));
  }
  return Answer(type, std::move(outcome.object));
}

// True for a Namespace or a definition that must wait for its contents to go first.
bool MustWait(const kube::ResourceType& type, const json::object& stored) {
  return (IsNamespace(type) && HasNamespaceFinalizer(stored)) || IsCrd(type);
}

}  // namespace

ContextSource FreshContexts(Clock& clock, Random& random) {
  return [&clock, &random] {
    WriteContext context;
    context.now = clock.Now();
    std::array<uint8_t, 16> bytes;
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Uniform() * 256);
    context.new_uid = kube::UuidV4(bytes);
    for (int i = 0; i < 5; ++i) {
      const double place = random.Uniform() * static_cast<double>(kSuffixAlphabet.size());
      context.name_suffix += kSuffixAlphabet[static_cast<size_t>(place)];
    }
    return context;
  };
}

absl::StatusOr<json::value> CreateObject(Transaction& transaction,
                                         const kube::GroupVersionResource& gvr,
                                         const std::string& ns, const json::object& object,
                                         const kube::WriteOptions& options,
                                         const ContextSource& context) {
  ASSIGN_OR_RETURN(const kube::ResourceType* type, FindType(transaction, gvr));
  RETURN_IF_ERROR(CheckDefinitionStays(transaction, *type));
  for (int tries = 1;; ++tries) {
    WriteContext fresh = context();
    fresh.schema = transaction.catalog().SchemaOf(*type);
    absl::StatusOr<json::object> prepared = PrepareCreate(*type, ns, object, fresh);
    if (type->namespaced && !IsRefusedOnDecoding(prepared.status())) {
      // Admission comes before validation: a missing namespace hides an invalid object.
      const std::string_view name = prepared.ok() ? NameIn(*prepared) : "";
      RETURN_IF_ERROR(CheckNamespaceAdmits(transaction, *type, ns, std::string(name)));
    }
    RETURN_IF_ERROR(prepared.status());
    RETURN_IF_ERROR(CompleteNew(*type, fresh.now, *prepared));
    const std::string key = KeyOf(ns, NameIn(*prepared));
    ASSIGN_OR_RETURN(const std::optional<json::object> taken, transaction.Get(*type, key));
    if (!taken.has_value()) {
      RETURN_IF_ERROR(PutUnlessDry(transaction, *type, key, options.dry_run, *prepared));
      return Answer(*type, *std::move(prepared));
    }
    if (IsNamed(object) || tries == kNameTries) {
      return kube::ToStatus(kube::AlreadyExists(gvr, NameIn(*prepared)));
    }
  }
}

absl::StatusOr<json::value> UpdateObject(Transaction& transaction,
                                         const kube::GroupVersionResource& gvr,
                                         const kube::NamespacedName& name,
                                         const json::object& object,
                                         const kube::WriteOptions& options,
                                         const ContextSource& context) {
  ASSIGN_OR_RETURN(const kube::ResourceType* type, FindType(transaction, gvr));
  RETURN_IF_ERROR(CheckSubresource(*type, options.subresource));
  ASSIGN_OR_RETURN(const json::object stored, Stored(transaction, *type, name));
  return FinishUpdate(transaction, *type, name, stored, object, options, context());
}

absl::StatusOr<json::value> PatchObject(Transaction& transaction,
                                        const kube::GroupVersionResource& gvr,
                                        const kube::NamespacedName& name,
                                        kube::PatchType patch_type, const json::value& patch,
                                        const kube::WriteOptions& options,
                                        const ContextSource& context) {
  ASSIGN_OR_RETURN(const kube::ResourceType* type, FindType(transaction, gvr));
  RETURN_IF_ERROR(CheckSubresource(*type, options.subresource));
  RETURN_IF_ERROR(CheckPatchType(*type, patch_type));
  ASSIGN_OR_RETURN(const json::object stored, Stored(transaction, *type, name));
  ASSIGN_OR_RETURN(json::object patched, ApplyPatch(*type, stored, patch_type, patch));
  return FinishUpdate(transaction, *type, name, stored, std::move(patched), options, context());
}

absl::StatusOr<json::value> DeleteObject(Transaction& transaction,
                                         const kube::GroupVersionResource& gvr,
                                         const kube::NamespacedName& name,
                                         const kube::DeleteOptions& options,
                                         const ContextSource& context) {
  ASSIGN_OR_RETURN(const kube::ResourceType* type, FindType(transaction, gvr));
  return DeleteStored(transaction, *type, name, options, context);
}

absl::StatusOr<json::value> DeleteStored(Transaction& transaction, const kube::ResourceType& type,
                                         const kube::NamespacedName& name,
                                         const kube::DeleteOptions& options,
                                         const ContextSource& context) {
  ASSIGN_OR_RETURN(json::object stored, Stored(transaction, type, name));
  const WriteContext fresh = context();
  if (IsCrd(type) && !IsMarked(stored)) AddFinalizer(kCustomResourceCleanup, stored);
  ASSIGN_OR_RETURN(DeleteOutcome outcome, PrepareDelete(type, stored, options, fresh));
  const std::string key = KeyOf(name.ns, name.name);
  if (outcome.kind == DeleteOutcome::Kind::kRemoved && MustWait(type, stored)) {
    if (IsMarked(stored)) {
      outcome = {DeleteOutcome::Kind::kUnchanged, std::move(stored)};
    } else {
      MarkDeleted(fresh.now, MetadataOf(stored));
      outcome = {DeleteOutcome::Kind::kMarked, std::move(stored)};
    }
  }
  switch (outcome.kind) {
    case DeleteOutcome::Kind::kRemoved:
      if (!options.dry_run) RETURN_IF_ERROR(transaction.Remove(type, key).status());
      return DeletedStatus(type, outcome.object);
    case DeleteOutcome::Kind::kMarked:
      if (IsNamespace(type)) SetNamespaceTerminating(outcome.object);
      if (IsCrd(type)) SetCrdTerminating(outcome.object, fresh.now);
      RETURN_IF_ERROR(PutUnlessDry(transaction, type, key, options.dry_run, outcome.object));
      break;
    case DeleteOutcome::Kind::kUnchanged:
      break;
  }
  return Answer(type, std::move(outcome.object));
}

absl::Status FinalizeNamespace(Transaction& transaction, const std::string& name) {
  const kube::ResourceType* type = transaction.catalog().FindStored(kNamespaces);
  ASSIGN_OR_RETURN(std::optional<json::object> stored, transaction.Get(*type, name));
  if (!stored.has_value() || !IsMarked(*stored)) return absl::OkStatus();
  RemoveNamespaceFinalizer(*stored);
  const json::object& metadata = MetadataOf(*stored);
  const json::value* others = metadata.if_contains("finalizers");
  if (others == nullptr || !others->is_array() || others->get_array().empty()) {
    return transaction.Remove(*type, name).status();
  }
  return transaction.Put(*type, name, *stored).status();
}

}  // namespace steward::storage
