// The effect that a create, update, patch or delete has on one object in a Kubernetes API server.
// Pure functions over values. The store saves the results and sets resourceVersion. The rules of
// single kinds, beyond metadata and generation, are in the store's operations.
//
// Errors carry a Kubernetes Status with the code, reason and wording of kube-apiserver 1.36, with
// its oddities (a resourceVersion that is no number is a 500). Resulting metadata is in the order
// of metav1.ObjectMeta, without unknown or empty members; `stored` is an earlier result, with its
// resourceVersion. Source: k8s.io/apiserver/pkg/registry/rest (BeforeCreate, BeforeUpdate,
// BeforeDelete), apiextensions-apiserver/pkg/registry/customresource.
#ifndef STORAGE_EMBEDDED_RULES_OBJECT_RULES_H_
#define STORAGE_EMBEDDED_RULES_OBJECT_RULES_H_

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/write_options.h"
#include "kube/schema/schema.h"

namespace steward::storage {

// The inputs of the rules that are not in the objects.
struct WriteContext {
  absl::Time now;
  std::string new_uid;      // a fresh UUID
  std::string name_suffix;  // five random characters of [a-z0-9], for generateName
  // The schema of the object's definition; null = no schema.
  const kube::Schema* schema = nullptr;
};

// `object` as a POST to namespace `ns` ("" = cluster-scoped) would store it:
// - apiVersion and kind are checked, or filled in unless it is a custom resource, which must have
//   both;
// - the name is checked, or made from generateName;
// - the namespace is filled in, refused when it differs (400), and dropped for a cluster-scoped
//   type;
// - uid, creationTimestamp and generation (of custom resources and their definitions) are set;
// - deletionTimestamp, deletionGracePeriodSeconds, selfLink and managedFields are dropped;
// - a resourceVersion is refused (500, as in Kubernetes) unless it is "0" or no number;
// - labels, annotations, finalizers and ownerReferences are checked;
// - fields that the schema does not know are dropped, defaults filled in, and the rest is checked;
// - status is dropped where the type has a status subresource.
absl::StatusOr<boost::json::object> PrepareCreate(const kube::ResourceType& type,
                                                  const std::string& ns, boost::json::object object,
                                                  const WriteContext& context);

struct UpdateOutcome {
  enum class Kind {
    kUnchanged,  // `object` equals what is stored: nothing to write
    kChanged,
    kRemoved,  // the last finalizer of an object marked for deletion went: remove it
  };
  Kind kind;
  boost::json::object object;
};

// `updated` as a PUT over `stored` would store it. Checks namespace and name (400), uid (409 when
// it differs), resourceVersion (409 when it differs from `stored`'s; 422 when a custom resource or
// a definition has none; other objects without one are updated unconditionally), and metadata like
// a POST, and the rest by the schema, where a value that stays as it was may be wrong. System
// fields keep their stored values. With `subresource` "" the stored status is kept where the type
// has the subresource; with "status" all but the status is kept. generation, where there is one,
// grows when a member that may change did change, except in metadata. New finalizers are refused
// once deletionTimestamp is set (422).
absl::StatusOr<UpdateOutcome> PrepareUpdate(const kube::ResourceType& type,
                                            const boost::json::object& stored,
                                            boost::json::object updated,
                                            const std::string& subresource,
                                            const WriteContext& context);

// 415 for a type of patch that the resource does not accept: server-side apply and JSON patch for
// all, strategic merge for custom resources. Does not depend on an object, so it comes before a
// 404.
absl::Status CheckPatchType(const kube::ResourceType& type, kube::PatchType patch_type);

// `stored` with the patch applied, as input of PrepareUpdate; its resourceVersion is that of
// `stored` unless the patch has another. Errors: those of CheckPatchType; 400 if the patch is no
// object, is malformed, or changes name or namespace; 422 if it changes uid, kind or apiVersion.
absl::StatusOr<boost::json::object> ApplyPatch(const kube::ResourceType& type,
                                               const boost::json::object& stored,
                                               kube::PatchType patch_type,
                                               const boost::json::value& patch);

struct DeleteOutcome {
  enum class Kind {
    kMarked,     // `object` is to be stored: deletionTimestamp set, finalizers pending
    kUnchanged,  // `stored` was marked before and still waits
    kRemoved,
  };
  Kind kind;
  boost::json::object object;
};

// The effect of a DELETE on `stored`. 409 when a precondition does not hold. Propagation:
// foreground adds the finalizer foregroundDeletion, orphan adds orphan, each in place of the other;
// background removes both; default leaves finalizers alone. The generation of an object that is
// marked for the first time grows, if it has one. With kRemoved, `object` is `stored`.
absl::StatusOr<DeleteOutcome> PrepareDelete(const kube::ResourceType& type,
                                            const boost::json::object& stored,
                                            const kube::DeleteOptions& options,
                                            const WriteContext& context);

// Marks an object as being deleted, in its metadata. If deletionTimestamp is missing, sets it and
// increments generation, if there is one. Always sets deletionGracePeriodSeconds to 0.
void MarkDeleted(absl::Time now, boost::json::object& metadata);

// A server's answer to a DELETE that removed `object`: a Status of success with details {name,
// group, kind (the plural), uid}.
boost::json::object DeletedStatus(const kube::ResourceType& type,
                                  const boost::json::object& object);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_OBJECT_RULES_H_
