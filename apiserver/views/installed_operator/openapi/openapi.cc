#include "apiserver/views/installed_operator/openapi/openapi.h"

#include <string>

#include "apiserver/views/installed_operator/openapi/spec_schema.h"
#include "base/text/str_cat.h"

namespace steward::views {
namespace {

constexpr std::string_view kHead = R"json({
"description": "InstalledOperator is an operator as seen from a namespace that it watches: the ClusterServiceVersion of its installation, with the scope of that installation. There is one in each namespace that the operator's OperatorGroup targets, and one in the namespace where it is installed. It is computed on each read and can't be written.",
"type": "object",
"properties": {
  "apiVersion": {"type": "string", "description": "Group and version of this object's form."},
  "kind": {"type": "string", "description": "InstalledOperator."},
  "metadata": {
    "description": "Name, labels and annotations are the ClusterServiceVersion's, but for those that only concern its own namespace. The UID belongs to the pair of operator and namespace. Seen from another namespace than its own, the label olm.copiedFrom names the latter.",
    "default": {},
    "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]
  },
)json";

constexpr std::string_view kScope = R"json({
"description": "Where the operator is installed and for whom it works.",
"type": "object",
"required": ["cleanupOptedIn", "installNamespace", "targeted"],
"properties": {
  "cleanupOptedIn": {"type": "boolean", "description": "The operator asks for cleanup: uninstalling it would delete the custom resources of its kinds, also in this namespace."},
  "conflicts": {
    "description": "Other operators of the same name that reach this namespace too and are hidden by this one.",
    "type": "array",
    "items": {
      "type": "object",
      "properties": {
        "installNamespace": {"type": "string", "description": "Where the hidden operator is installed."},
        "message": {"type": "string", "description": "The same in a sentence."},
        "type": {"type": "string", "description": "NameCollision."}
      }
    }
  },
  "installMode": {"type": "string", "description": "What the OperatorGroup's targets amount to: OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces. Absent when no single OperatorGroup is in force."},
  "installNamespace": {"type": "string", "description": "The namespace in which the ClusterServiceVersion lies and the operator runs."},
  "operatorGroup": {"type": "string", "description": "Name of the OperatorGroup in the install namespace. Absent when there is none, or several."},
  "targeted": {"type": "boolean", "description": "The OperatorGroup targets this namespace. False only in the install namespace."}
}
})json";

constexpr std::string_view kStatus = R"json({
"description": "How the installation is doing, as the ClusterServiceVersion's status says. Seen from another namespace than its own, reason is Copied and message says where the operator runs.",
"type": "object",
"properties": {
  "certsLastUpdated": {"type": "string", "format": "date-time", "description": "When the certificates of the operator's webhooks and API services were last renewed."},
  "certsRotateAt": {"type": "string", "format": "date-time", "description": "When they are to be renewed next."},
  "conditions": {
    "description": "The phases that the installation went through, the oldest first.",
    "type": "array",
    "items": {
      "type": "object",
      "properties": {
        "lastTransitionTime": {"type": "string", "format": "date-time", "description": "When this phase began."},
        "lastUpdateTime": {"type": "string", "format": "date-time", "description": "When this entry was last written."},
        "message": {"type": "string", "description": "Why, for people."},
        "phase": {"type": "string", "description": "The phase."},
        "reason": {"type": "string", "description": "Why, in one word."}
      }
    }
  },
  "lastTransitionTime": {"type": "string", "format": "date-time", "description": "When the present phase began."},
  "lastUpdateTime": {"type": "string", "format": "date-time", "description": "When the status was last written."},
  "message": {"type": "string", "description": "Why the operator is in this phase, for people."},
  "phase": {"type": "string", "description": "Pending, InstallReady, Installing, Succeeded, Failed, Replacing, Deleting or Unknown."},
  "reason": {"type": "string", "description": "Why the operator is in this phase, in one word."},
  "requirementStatus": {
    "description": "What the operator needs from the cluster, and whether it is there.",
    "type": "array",
    "items": {
      "type": "object",
      "required": ["group", "kind", "message", "name", "status", "version"],
      "properties": {
        "dependents": {
          "description": "What the requirement rests on in turn: the rules of a service account, say.",
          "type": "array",
          "items": {
            "type": "object",
            "required": ["group", "kind", "status", "version"],
            "properties": {
              "group": {"type": "string", "description": "Its group."},
              "kind": {"type": "string", "description": "Its kind."},
              "message": {"type": "string", "description": "Details, for people."},
              "status": {"type": "string", "description": "Satisfied or NotSatisfied."},
              "uuid": {"type": "string", "description": "UID of the object found."},
              "version": {"type": "string", "description": "Its version."}
            }
          }
        },
        "group": {"type": "string", "description": "The required object's group."},
        "kind": {"type": "string", "description": "The required object's kind."},
        "message": {"type": "string", "description": "Details, for people."},
        "name": {"type": "string", "description": "The required object's name."},
        "status": {"type": "string", "description": "Present, NotPresent, PresentNotSatisfied and the like."},
        "uuid": {"type": "string", "description": "UID of the object found."},
        "version": {"type": "string", "description": "The required object's version."}
      }
    }
  }
}
})json";

}  // namespace

std::string_view InstalledOperatorSchema() {
  static const std::string* const schema =
      new std::string(StrCat(kHead, R"("scope": )", kScope, R"(, "spec": )",
                             InstalledOperatorSpecSchema(), R"(, "status": )", kStatus, "}}"));
  return *schema;
}

}  // namespace steward::views
