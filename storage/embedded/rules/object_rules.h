// What a Kubernetes API server does to one object when it is created, updated, patched or deleted:
// pure functions over values. Nothing is stored here, and resourceVersion is the store's to set. So
// is what is special about a kind beyond its metadata and generation.
//
// Errors carry a Kubernetes Status with the code, reason and wording of kube-apiserver 1.36, its
// oddities included (a resourceVersion that is no number is a 500). Metadata comes out in the order
// of metav1.ObjectMeta, without members that are unknown or empty; `stored` is what came out
// before, with its resourceVersion. Source: k8s.io/apiserver/pkg/registry/rest (BeforeCreate,
// BeforeUpdate, BeforeDelete), apiextensions-apiserver/pkg/registry/customresource.
#ifndef STORAGE_EMBEDDED_RULES_OBJECT_RULES_H_
#define STORAGE_EMBEDDED_RULES_OBJECT_RULES_H_

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/write_options.h"

namespace steward::storage {

// What the rules need from outside.
struct WriteContext {
  absl::Time now;
  std::string new_uid;      // a fresh UUID
  std::string name_suffix;  // five random characters of [a-z0-9], for generateName
};

// `object` as a POST to namespace `ns` ("" = cluster-scoped) would store it: apiVersion and kind
// checked, or filled in unless it is a custom resource, which has to have both; name checked, or
// made from generateName; namespace filled in, or refused when it differs (400), and dropped where
// there are none; uid, creationTimestamp and generation (of custom resources and their definitions)
// set; deletionTimestamp and deletionGracePeriodSeconds, selfLink and managedFields dropped; a
// resourceVersion refused (500, as in Kubernetes) unless it is "0" or no number; labels,
// annotations, finalizers and ownerReferences checked; status dropped where the type has a status
// subresource.
absl::StatusOr<boost::json::object> PrepareCreate(const kube::ResourceType& type,
                                                  const std::string& ns, boost::json::object object,
                                                  const WriteContext& context);

struct UpdateOutcome {
  enum class Kind {
    kUnchanged,  // `object` equals what is stored: nothing to write
    kChanged,
    kRemoved,  // the last finalizer went from an object marked for deletion: remove it
  };
  Kind kind;
  boost::json::object object;
};

// `updated` as a PUT over `stored` would store it. Checks namespace and name (400), uid (409 when
// it differs), resourceVersion (409 when it differs from `stored`'s; 422 when a custom resource or
// a definition has none; others are then updated unconditionally), and metadata like a POST. System
// fields keep their stored values. `subresource` "" keeps the stored status where the type has the
// subresource; "status" keeps everything but status. generation, where there is one, grows when
// anything but metadata changed that could. No new finalizers once deletionTimestamp is set (422).
absl::StatusOr<UpdateOutcome> PrepareUpdate(const kube::ResourceType& type,
                                            const boost::json::object& stored,
                                            boost::json::object updated,
                                            const std::string& subresource,
                                            const WriteContext& context);

// `stored` with the patch applied: what PrepareUpdate then takes, its resourceVersion being that of
// `stored` unless the patch says another. 415 for types the resource does not take (server-side
// apply and JSON patch everywhere; strategic merge for custom resources), 400 for a patch that is
// no object or malformed, or that changes name or namespace, 422 for one that makes something else
// of the object or of its uid.
absl::StatusOr<boost::json::object> ApplyPatch(const kube::ResourceType& type,
                                               const boost::json::object& stored,
                                               kube::PatchType patch_type,
                                               const boost::json::value& patch);

struct DeleteOutcome {
  enum class Kind {
    kMarked,     // `object` is to be stored: deletionTimestamp set, finalizers pending
    kUnchanged,  // it was marked before and still waits
    kRemoved,
  };
  Kind kind;
  boost::json::object object;
};

// What a DELETE does to `stored`. 409 when a precondition does not hold. Propagation: foreground
// adds the finalizer foregroundDeletion, orphan adds orphan, each in place of the other; background
// removes both; default leaves finalizers alone. An object that is marked for the first time goes
// up a generation, if it has one. `object` of kRemoved is `stored`.
absl::StatusOr<DeleteOutcome> PrepareDelete(const kube::ResourceType& type,
                                            const boost::json::object& stored,
                                            const kube::DeleteOptions& options,
                                            const WriteContext& context);

// What marks an object as being deleted, in its metadata: deletionTimestamp, unless it is there,
// with a new generation if it has one, and a grace period of 0.
void MarkDeleted(absl::Time now, boost::json::object& metadata);

// The answer of a server to a DELETE that removed `object`: a Status of success with details
// {name, group, kind (the plural), uid}.
boost::json::object DeletedStatus(const kube::ResourceType& type,
                                  const boost::json::object& object);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_OBJECT_RULES_H_
