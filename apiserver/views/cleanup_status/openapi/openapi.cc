#include "apiserver/views/cleanup_status/openapi/openapi.h"

namespace steward::views {
namespace {

constexpr std::string_view kSchema = R"json({
"description": "CleanupStatus tells what would become of an operator's custom resources if the operator were uninstalled now and, while it is being uninstalled, how far that has come. There is one for each ClusterServiceVersion that is not a copy, in its namespace. It is computed on each read from objects that are watched, and can't be written. Objects of other namespaces are counted and not named.",
"type": "object",
"properties": {
  "apiVersion": {"type": "string", "description": "Group and version of this object's form."},
  "kind": {"type": "string", "description": "CleanupStatus."},
  "metadata": {
    "description": "Name, namespace and creationTimestamp are the ClusterServiceVersion's, and so are the labels, but for those that only concern its own namespace. The UID is made from its UID.",
    "default": {},
    "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]
  },
  "status": {
    "description": "The outlook.",
    "type": "object",
    "required": ["enabled", "optedIn", "pendingCount", "phase", "targetNamespaces"],
    "properties": {
      "blockers": {
        "description": "All that is known to stand in the way, also before anybody opts in. What only a live look tells (definitions, Deployments, the admission policy) is not among them.",
        "type": "array",
        "items": {
          "type": "object",
          "required": ["message", "reason"],
          "properties": {
            "message": {"type": "string", "description": "Why, for people."},
            "objects": {"type": "array", "items": {"type": "string"}, "description": "What to look at: namespace/name in the ClusterServiceVersion's namespace, or the name of something outside of namespaces. A hundred at most, with those of objectsElsewhere."},
            "objectsElsewhere": {"type": "integer", "format": "int64", "description": "How many more there are in other namespaces."},
            "reason": {"type": "string", "description": "Why, in one word: SharedOwner, PhaseNotSucceeded, ..."}
          }
        }
      },
      "conditions": {
        "description": "The conditions that Steward wrote into the ClusterServiceVersion's status: WaitingOnCleanup, CleanupStalled, CleanupRefused, CleanupUnknown, RightsHeld, RightsMayBeLost.",
        "type": "array",
        "items": {
          "type": "object",
          "required": ["reason"],
          "properties": {
            "lastTransitionTime": {"type": "string", "format": "date-time", "description": "Since when it is so."},
            "lastUpdateTime": {"type": "string", "format": "date-time", "description": "When this entry was last written."},
            "message": {"type": "string", "description": "Details, for people."},
            "phase": {"type": "string", "description": "The phase that the condition was written with."},
            "reason": {"type": "string", "description": "Which condition it is."}
          }
        }
      },
      "enabled": {"type": "boolean", "description": "The operator's author says that it cleans up properly (spec.cleanup.enabled)."},
      "optedIn": {"type": "boolean", "description": "An administrator asked for cleanup: the finalizer operatorframework.io/delete-custom-resources is there."},
      "pendingCount": {"type": "integer", "format": "int64", "description": "How many custom resources are waited for, wherever they are."},
      "pendingDeletion": {
        "description": "Those of them that are in the ClusterServiceVersion's namespace or outside of namespaces, among the first hundred of all.",
        "type": "array",
        "items": {
          "type": "object",
          "required": ["kind", "name"],
          "properties": {
            "kind": {"type": "string", "description": "Its kind."},
            "name": {"type": "string", "description": "Its name."},
            "namespace": {"type": "string", "description": "Its namespace. Absent outside of namespaces."},
            "resource": {"type": "string", "description": "Its definition: plural.group. Absent when the ClusterServiceVersion owns no such kind any more."}
          }
        }
      },
      "pendingElsewhere": {"type": "integer", "format": "int64", "description": "How many of the first hundred are in other namespaces."},
      "phase": {"type": "string", "description": "Disabled (enabled is false), NotOptedIn (optedIn is false); before the ClusterServiceVersion is deleted Ready, Refused or Unknown; while it is being deleted Deleting, Draining (refused, and what is being deleted already is waited for), Stalled (no progress), Refused or Unknown."},
      "resources": {
        "description": "The kinds that would be deleted: those that the operator owns.",
        "type": "array",
        "items": {
          "type": "object",
          "required": ["group", "plural"],
          "properties": {
            "group": {"type": "string", "description": "Its group."},
            "kind": {"type": "string", "description": "Its kind."},
            "plural": {"type": "string", "description": "Its plural, as in the definition's name."}
          }
        }
      },
      "stalledSince": {"type": "string", "format": "date-time", "description": "Since when there is no progress."},
      "startedAt": {"type": "string", "format": "date-time", "description": "When the ClusterServiceVersion was deleted."},
      "targetNamespaces": {"type": "array", "items": {"type": "string"}, "description": "Where custom resources may be deleted: sorted names, or * alone for everywhere. Empty when no single OperatorGroup says it."}
    }
  }
}
})json";

}  // namespace

std::string_view CleanupStatusSchema() { return kSchema; }

}  // namespace steward::views
