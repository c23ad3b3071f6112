// Which of Kubernetes' rules a kind follows: its own API server code in Kubernetes decides that
// kind by kind.
#ifndef STORAGE_EMBEDDED_RULES_KIND_RULES_H_
#define STORAGE_EMBEDDED_RULES_KIND_RULES_H_

#include "kube/meta/resource_type.h"

namespace steward::storage {

enum class NameForm { kDnsLabel, kDnsSubdomain, kPathSegment };

// Defined by a CustomResourceDefinition, here or (OLM's kinds) in every real cluster: apiVersion
// and kind are required, and strategic merge patches are not understood.
bool IsCustomResource(const kube::ResourceType& type);
// metadata.generation counts its changes, and an update must say which state it updates.
bool CountsGenerations(const kube::ResourceType& type);
NameForm NameFormOf(const kube::ResourceType& type);
// Finalizers without a "/" are limited to Kubernetes' own.
bool WantsQualifiedFinalizers(const kube::ResourceType& type);
// The garbage collector looks after its dependents. Not after those of Events.
bool MayHaveDependents(const kube::ResourceType& type);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_KIND_RULES_H_
