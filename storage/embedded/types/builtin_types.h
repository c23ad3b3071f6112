// The kinds that the embedded store has without a CustomResourceDefinition. Thread-safe.
#ifndef STORAGE_EMBEDDED_TYPES_BUILTIN_TYPES_H_
#define STORAGE_EMBEDDED_TYPES_BUILTIN_TYPES_H_

#include <string_view>
#include <vector>

#include "kube/meta/resource_type.h"

namespace steward::storage {

inline constexpr std::string_view kNamespaces = "namespaces";
inline constexpr std::string_view kCustomResourceDefinitions =
    "customresourcedefinitions.apiextensions.k8s.io";

// Namespaces and a few more kinds of the core group, other kinds that are in operators' bundles,
// RBAC, CustomResourceDefinitions, and OLM's kinds: every served version, with the storage version
// first.
const std::vector<kube::ResourceType>& BuiltinTypes();

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TYPES_BUILTIN_TYPES_H_
