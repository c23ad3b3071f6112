// The resources that the store holds, as an immutable snapshot. Thread-safe.
#ifndef STORAGE_EMBEDDED_TYPES_CATALOG_H_
#define STORAGE_EMBEDDED_TYPES_CATALOG_H_

#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"
#include "kube/schema/schema.h"

namespace steward::storage {

// All versions of a resource are the same objects, shown under each version's name.
class Catalog {
 public:
  // The catalog has the built-in kinds and the kinds that `crds` define. A definition replaces a
  // built-in kind of the same name. Types of `more` are added if no other type has their name or
  // kind. REQUIRES: CheckCrd is OK for each.
  explicit Catalog(const std::vector<boost::json::object>& crds,
                   const std::vector<kube::ResourceType>& more = {});

  // Null when no resource of this name is served.
  const kube::ResourceType* Find(const kube::GroupVersionResource& gvr) const
      ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // Finds the type by the kind that an owner reference or an object names; null as above.
  const kube::ResourceType* FindKind(const kube::GroupVersionKind& gvk) const
      ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // The storage version of the resource named "widgets.example.com", served or not.
  const kube::ResourceType* FindStored(std::string_view resource) const
      ABSL_ATTRIBUTE_LIFETIME_BOUND;

  // The schema by which objects of `type` are checked. Null if the kind has no schema, or is built
  // in and no custom resource in a real cluster. Compiled at the first call. REQUIRES: `type` is of
  // this catalog.
  const kube::Schema* SchemaOf(const kube::ResourceType& type) const ABSL_ATTRIBUTE_LIFETIME_BOUND;

  // True when the definition of the resource is being deleted, so that no new objects are accepted.
  bool IsTerminating(std::string_view resource) const;

  // Every served version of every resource; versions of one resource together, the storage version
  // first.
  const std::vector<kube::ResourceType>& types() const { return types_; }
  // One type for each resource: its storage version, served or not.
  std::vector<const kube::ResourceType*> StoredTypes() const;

 private:
  struct LazySchema {
    std::once_flag once;
    std::optional<kube::Schema> schema;
  };

  std::vector<kube::ResourceType> types_;
  mutable std::map<kube::GroupVersionResource, LazySchema> schemas_;  // one for each of types_
  std::map<kube::GroupVersionResource, size_t> by_resource_;
  std::map<kube::GroupVersionKind, size_t> by_kind_;
  std::map<std::string, kube::ResourceType, std::less<>> stored_;
  std::set<std::string, std::less<>> terminating_;
};

using CatalogPtr = std::shared_ptr<const Catalog>;

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TYPES_CATALOG_H_
