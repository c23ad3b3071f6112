#include "apiserver/discovery/meta_schemas.h"

namespace steward::discovery {

std::string_view MetaSchemas() {
  return R"json({
"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": {
  "type": "object",
  "description": "A set of fields of an object, written as a tree of JSON objects whose keys name fields, list elements and values."
},
"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": {
  "type": "object",
  "description": "What every list says about itself.",
  "properties": {
    "continue": {"type": "string", "description": "Set when there is more: pass it on, with otherwise the same parameters, to get the next part. Opaque."},
    "remainingItemCount": {"type": "integer", "format": "int64", "description": "How many items come after this part. Absent when unknown, as with selectors, and in the last part."},
    "resourceVersion": {"type": "string", "description": "The state that this list shows. Pass it on to start a watch from here. Opaque to clients but for comparing two numbers of the same resource."},
    "selfLink": {"type": "string", "description": "No longer filled in."}
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry": {
  "type": "object",
  "description": "Which fields of an object one writer claimed, and when.",
  "properties": {
    "apiVersion": {"type": "string", "description": "The version of the resource in which the fields are named."},
    "fieldsType": {"type": "string", "description": "How the fields are written down: always FieldsV1."},
    "fieldsV1": {
      "description": "The fields.",
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"}]
    },
    "manager": {"type": "string", "description": "The writer's name."},
    "operation": {"type": "string", "description": "Apply or Update."},
    "subresource": {"type": "string", "description": "The subresource through which it was written, if any."},
    "time": {
      "description": "When the entry last changed.",
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time"}]
    }
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
  "type": "object",
  "description": "What every object says about itself.",
  "properties": {
    "annotations": {
      "type": "object",
      "description": "Free notes of tools and people. They can't be selected by.",
      "additionalProperties": {"type": "string", "default": ""}
    },
    "creationTimestamp": {
      "description": "When the object came to be. UTC, whole seconds.",
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time"}]
    },
    "deletionGracePeriodSeconds": {"type": "integer", "format": "int64", "description": "How long the object may take to end, once its deletion was asked for."},
    "deletionTimestamp": {
      "description": "From when on the object counts as gone; set when its deletion was asked for. It stays until its finalizers are empty.",
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time"}]
    },
    "finalizers": {
      "type": "array",
      "description": "Who has something to do before the object may go. Each removes its own entry.",
      "items": {"type": "string", "default": ""},
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge"
    },
    "generateName": {"type": "string", "description": "A prefix, used on creation when there is no name: the server adds a random ending."},
    "generation": {"type": "integer", "format": "int64", "description": "Counts changes of what is wanted, not of what is observed."},
    "labels": {
      "type": "object",
      "description": "Keys and values to select objects by.",
      "additionalProperties": {"type": "string", "default": ""}
    },
    "managedFields": {
      "type": "array",
      "description": "Who claimed which fields. Kept by servers that support apply.",
      "items": {
        "default": {},
        "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry"}]
      },
      "x-kubernetes-list-type": "atomic"
    },
    "name": {"type": "string", "description": "Unique among the resource's objects in a namespace. Never changes."},
    "namespace": {"type": "string", "description": "The space in which the name is unique; absent where the resource has no namespaces. Never changes."},
    "ownerReferences": {
      "type": "array",
      "description": "Objects that this one belongs to: when all of them are gone, it is collected.",
      "items": {
        "default": {},
        "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference"}]
      },
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge"
    },
    "resourceVersion": {"type": "string", "description": "The state of the object. Opaque to clients but for comparing two numbers of the same resource."},
    "selfLink": {"type": "string", "description": "No longer filled in."},
    "uid": {"type": "string", "description": "Tells the object from all others of any time, even from a later one of the same name."}
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference": {
  "type": "object",
  "description": "Names an owner, which is in the same namespace or in none.",
  "required": ["apiVersion", "kind", "name", "uid"],
  "properties": {
    "apiVersion": {"type": "string", "default": "", "description": "The owner's group and version."},
    "blockOwnerDeletion": {"type": "boolean", "description": "In a foreground deletion, the owner waits until this object is gone."},
    "controller": {"type": "boolean", "description": "This owner is the one that manages the object."},
    "kind": {"type": "string", "default": "", "description": "The owner's kind."},
    "name": {"type": "string", "default": "", "description": "The owner's name."},
    "uid": {"type": "string", "default": "", "description": "The owner's UID."}
  },
  "x-kubernetes-map-type": "atomic"
},
"io.k8s.apimachinery.pkg.apis.meta.v1.Time": {
  "type": "string",
  "format": "date-time",
  "description": "A point in time as RFC 3339 writes it."
}
})json";
}

std::string_view WriteSchemas() {
  return R"json({
"io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions": {
  "type": "object",
  "description": "How an object shall be deleted.",
  "properties": {
    "apiVersion": {"type": "string", "description": "Group and version of these options' form."},
    "dryRun": {
      "type": "array",
      "description": "All: do everything but the change itself.",
      "items": {"type": "string", "default": ""},
      "x-kubernetes-list-type": "atomic"
    },
    "kind": {"type": "string", "description": "DeleteOptions."},
    "preconditions": {
      "description": "What must hold, or nothing is deleted.",
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions"}]
    },
    "propagationPolicy": {"type": "string", "description": "What becomes of dependents: Orphan, Background or Foreground."}
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.Patch": {
  "type": "object",
  "description": "A change, in the form that the request's media type names."
},
"io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions": {
  "type": "object",
  "description": "What must hold of an object for it to be deleted.",
  "properties": {
    "resourceVersion": {"type": "string", "description": "The object is in this state."},
    "uid": {"type": "string", "description": "The object is this one, not another of its name."}
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.Status": {
  "type": "object",
  "description": "How a request ended, where no object says so.",
  "properties": {
    "apiVersion": {"type": "string", "description": "Group and version of this status's form."},
    "code": {"type": "integer", "format": "int32", "description": "The HTTP code that goes with it."},
    "details": {
      "description": "What it is about.",
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails"}],
      "x-kubernetes-list-type": "atomic"
    },
    "kind": {"type": "string", "description": "Status."},
    "message": {"type": "string", "description": "For people."},
    "metadata": {
      "description": "Empty, or where to go on after an expired page.",
      "default": {},
      "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}]
    },
    "reason": {"type": "string", "description": "For programs, in one word."},
    "status": {"type": "string", "description": "Success or Failure."}
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause": {
  "type": "object",
  "description": "One thing that was wrong.",
  "properties": {
    "field": {"type": "string", "description": "The field in which it was, if any."},
    "message": {"type": "string", "description": "For people."},
    "reason": {"type": "string", "description": "For programs, in one word."}
  }
},
"io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails": {
  "type": "object",
  "description": "What a status is about.",
  "properties": {
    "causes": {
      "type": "array",
      "description": "All that was wrong.",
      "items": {
        "default": {},
        "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause"}]
      },
      "x-kubernetes-list-type": "atomic"
    },
    "group": {"type": "string", "description": "The resource's group."},
    "kind": {"type": "string", "description": "The resource."},
    "name": {"type": "string", "description": "The object's name."},
    "retryAfterSeconds": {"type": "integer", "format": "int32", "description": "When to come again."},
    "uid": {"type": "string", "description": "The object's UID."}
  }
}
})json";
}

}  // namespace steward::discovery
