// Checks that a client's object is the object that the request's path names and that is stored.
// Pure functions.
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
// Returns a 409 if the resourceVersion differs from the stored one, and a 422 if there is none and
// the type requires one.
absl::Status CheckSameVersion(const kube::ResourceType& type,
                              const boost::json::object& stored_meta,
                              const boost::json::object& meta);

// The resourceVersion as a number, 0 for "". Returns a 500, as Kubernetes does, if the text is not
// a 64-bit number.
absl::StatusOr<uint64_t> ParseVersion(std::string_view version);
// A 500 without a reason: Kubernetes' answer for errors that are no Status.
absl::Status BareError(std::string_view message);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_IDENTITY_CHECKS_H_
