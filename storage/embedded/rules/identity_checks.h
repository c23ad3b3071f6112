// Checks that an object from a client is the one that its request and the stored state name. Pure
// functions.
#ifndef STORAGE_EMBEDDED_RULES_IDENTITY_CHECKS_H_
#define STORAGE_EMBEDDED_RULES_IDENTITY_CHECKS_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/meta/resource_type.h"

namespace steward::storage {

// Metadata is in the form in which object_meta.h decodes it.

// Fills in the request's namespace, and removes that of a cluster-scoped object; returns a 400 for
// another namespace.
absl::Status EnsureNamespace(const kube::ResourceType& type, std::string_view ns,
                             boost::json::object& meta);
// Returns a 400 unless the object has the stored name.
absl::Status CheckSameName(const boost::json::object& stored_meta, const boost::json::object& meta);
// Returns a 409 for another resourceVersion than the stored one, and a 422 for none where the type
// needs one.
absl::Status CheckSameVersion(const kube::ResourceType& type,
                              const boost::json::object& stored_meta,
                              const boost::json::object& meta);

// The number of a resourceVersion, 0 for "". Returns a 500, as Kubernetes does, for text that is no
// number of 64 bits.
absl::StatusOr<uint64_t> ParseVersion(std::string_view version);
// A 500 without a reason, as Kubernetes answers for errors that are not its own.
absl::Status BareError(std::string_view message);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_IDENTITY_CHECKS_H_
