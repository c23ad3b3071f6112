#include "storage/embedded/types/catalog.h"

#include <utility>

#include "absl/status/statusor.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/types/builtin_types.h"
#include "storage/embedded/types/crd.h"

namespace steward::storage {

Catalog::Catalog(const std::vector<boost::json::object>& crds,
                 const std::vector<kube::ResourceType>& more) {
  std::vector<std::vector<kube::ResourceType>> defined;
  std::set<std::string> names;
  for (const boost::json::object& crd : crds) {
    defined.push_back(TypesOf(crd));
    kube::ResourceType stored = StoredTypeOf(crd);
    const std::string name = stored.gvr().GroupResource();
    stored_.emplace(name, std::move(stored));
    names.insert(name);
    if (crd.at("metadata").as_object().contains("deletionTimestamp")) terminating_.insert(name);
  }
  for (const kube::ResourceType& type : BuiltinTypes()) {
    if (names.count(type.gvr().GroupResource()) == 0) types_.push_back(type);
  }
  for (std::vector<kube::ResourceType>& types : defined) {
    for (kube::ResourceType& type : types) types_.push_back(std::move(type));
  }
  std::set<kube::GroupVersionKind> kinds;
  for (const kube::ResourceType& type : types_) {
    names.insert(type.gvr().GroupResource());
    kinds.insert(type.gvk);
  }
  for (const kube::ResourceType& type : more) {
    if (kinds.count(type.gvk) == 0 && names.count(type.gvr().GroupResource()) == 0) {
      types_.push_back(type);
    }
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    const kube::ResourceType& type = types_[i];
    by_resource_.emplace(type.gvr(), i);
    by_kind_.emplace(type.gvk, i);
    schemas_.try_emplace(type.gvr());
    stored_.emplace(type.gvr().GroupResource(), type);  // the first version, the stored one, stays
  }
}

const kube::ResourceType* Catalog::Find(const kube::GroupVersionResource& gvr) const {
  const auto it = by_resource_.find(gvr);
  return it == by_resource_.end() ? nullptr : &types_[it->second];
}

const kube::ResourceType* Catalog::FindKind(const kube::GroupVersionKind& gvk) const {
  const auto it = by_kind_.find(gvk);
  return it == by_kind_.end() ? nullptr : &types_[it->second];
}

const kube::ResourceType* Catalog::FindStored(std::string_view resource) const {
  const auto it = stored_.find(resource);
  return it == stored_.end() ? nullptr : &it->second;
}

const kube::Schema* Catalog::SchemaOf(const kube::ResourceType& type) const {
  if (type.schema.empty() || !IsCustomResource(type)) return nullptr;
  const auto it = schemas_.find(type.gvr());
  if (it == schemas_.end()) return nullptr;
  LazySchema& lazy = it->second;
  std::call_once(lazy.once, [&] {
    absl::StatusOr<kube::Schema> schema = kube::Schema::Parse(type.schema);
    if (schema.ok()) lazy.schema = *std::move(schema);
  });
  return lazy.schema.has_value() ? &*lazy.schema : nullptr;
}

bool Catalog::IsTerminating(std::string_view resource) const {
  return terminating_.count(resource) > 0;
}

std::vector<const kube::ResourceType*> Catalog::StoredTypes() const {
  std::vector<const kube::ResourceType*> types;
  types.reserve(stored_.size());
  for (const auto& [name, type] : stored_) types.push_back(&type);
  return types;
}

}  // namespace steward::storage
