// A release's payload: its manifests in their order, and what is wrong with them. Values and pure
// functions.
#ifndef OLM_PAYLOAD_PAYLOAD_H_
#define OLM_PAYLOAD_PAYLOAD_H_

#include <boost/json/object.hpp>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::olm {

// The annotation by which a manifest asks that its object is removed (R-003-07).
inline constexpr std::string_view kPayloadDelete = "release.openshift.io/delete";
// The annotation of an object that is created, but never updated. kPayloadDelete wins over it.
inline constexpr std::string_view kPayloadCreateOnly = "release.openshift.io/create-only";

// The identity of an object. The version is not part of it.
struct PayloadIdentity {
  std::string group;  // "" = core
  std::string kind;
  std::string ns;
  std::string name;

  std::string ToString() const;  // `Deployment.apps "ns/name"`
  // The identity under which the object is stored. Two groups can serve one stored object, for
  // example Project and Namespace, or the two kinds of Event.
  PayloadIdentity Stored() const;
  bool IsNamespace() const;  // REQUIRES: this is a stored identity
  // True where objects of the kind lie in namespaces; nullopt for kinds that not every Kubernetes,
  // OLM and OpenShift have. REQUIRES: this is a stored identity.
  std::optional<bool> IsNamespaced() const;
  auto operator<=>(const PayloadIdentity&) const = default;
};

// A document of a payload, as it was read.
struct PayloadDocument {
  std::string file;   // the name of the file, without folders
  std::string where;  // "manifests/0000_50_a.yaml:12"
  boost::json::object object;
};

struct PayloadManifest {
  std::string file;
  std::string where;
  kube::GroupVersionKind gvk;  // as it is written
  PayloadIdentity identity;    // as it is stored
  bool deletes = false;        // R-003-08
  bool create_only = false;
  boost::json::object object;

  // The version in which `identity`'s kind may be served; "" if the manifest does not tell.
  std::string StoredVersion() const;
};

struct PayloadFault {
  std::string where;
  std::string what;
  bool operator==(const PayloadFault&) const = default;
};

// True if the manifest asks for the removal of its object: kPayloadDelete is the string "true".
// False without the annotation. kInvalidArgument names any other value (R-003-09).
absl::StatusOr<bool> AsksForRemoval(const boost::json::object& object);

struct Payload {
  std::vector<PayloadManifest> manifests;  // in the order of the documents
  // All faults, not only the first. A payload with any fault is not used at all: nothing of it is
  // written (R-003-10).
  std::vector<PayloadFault> faults;
};

// Reads documents, which are in the payload's order. Faults: no apiVersion, kind or name; an
// invalid name; a namespace although the kind is cluster-scoped (if the kind is known here); a
// value of kPayloadDelete other than "true". Ignores the rest of a delete manifest (R-003-28).
Payload ReadPayload(std::vector<PayloadDocument> documents);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_PAYLOAD_H_
