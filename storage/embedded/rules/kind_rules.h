// The rules that differ from kind to kind, because Kubernetes' API server has code of its own for
// each kind. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_KIND_RULES_H_
#define STORAGE_EMBEDDED_RULES_KIND_RULES_H_

#include "kube/meta/resource_type.h"

namespace steward::storage {

enum class NameForm { kDnsLabel, kDnsSubdomain, kPathSegment };

// True for kinds defined by a CustomResourceDefinition, here or (OLM's kinds) in every real
// cluster: apiVersion and kind are required, and strategic merge patches are not supported.
bool IsCustomResource(const kube::ResourceType& type);
// True if metadata.generation counts the kind's changes, and an update must have a resourceVersion.
bool CountsGenerations(const kube::ResourceType& type);
NameForm NameFormOf(const kube::ResourceType& type);
// True if a finalizer without "/" must be one of Kubernetes' own.
bool WantsQualifiedFinalizers(const kube::ResourceType& type);
// True if the garbage collector handles the kind's dependents. It does not for Events.
bool MayHaveDependents(const kube::ResourceType& type);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_KIND_RULES_H_
