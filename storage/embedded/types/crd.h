// CustomResourceDefinitions (apiextensions.k8s.io/v1): the types that they define, and the fields
// that the server fills in. Pure functions.
#ifndef STORAGE_EMBEDDED_TYPES_CRD_H_
#define STORAGE_EMBEDDED_TYPES_CRD_H_

#include <boost/json/object.hpp>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kube/meta/resource_type.h"

namespace steward::storage {

// The finalizer that keeps a definition until its objects are gone.
inline constexpr std::string_view kCustomResourceCleanup =
    "customresourcecleanup.apiextensions.k8s.io";

// Returns a 422 when `crd` cannot define a resource: because of its group, names or scope, without
// exactly one storage version, or with a name that is not <plural>.<group>.
absl::Status CheckCrd(const boost::json::object& crd);

// Returns a 422 when an update changes scope or kind, by which the objects are stored.
absl::Status CheckCrdUpdate(const boost::json::object& stored, const boost::json::object& updated);

// The storage version, served or not. REQUIRES: CheckCrd is OK.
kube::ResourceType StoredTypeOf(const boost::json::object& crd);
// The served versions, the storage version first. REQUIRES: CheckCrd is OK.
std::vector<kube::ResourceType> TypesOf(const boost::json::object& crd);

// Fills in what the API server defaults (singular, listKind, conversion) and reports in status:
// names accepted, established, stored versions. Idempotent. REQUIRES: CheckCrd is OK.
void CompleteCrd(boost::json::object& crd, absl::Time now);

// Notes in the status that the definition's objects are being deleted.
void SetCrdTerminating(boost::json::object& crd, absl::Time now);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TYPES_CRD_H_
