#include "apiserver/views/installed_operator/openapi/spec_schema.h"

#include <string_view>

#include "base/text/str_cat.h"

namespace steward::views {
namespace {

constexpr std::string_view kStrings = R"json("type": "array", "items": {"type": "string"})json";
constexpr std::string_view kStringMap =
    R"json("type": "object", "additionalProperties": {"type": "string"})json";

std::string Selector(std::string_view description) {
  return StrCat(R"json({"description": ")json", description,
                R"json(", "type": "object", "properties": {
    "matchExpressions": {
      "description": "All of these must hold.",
      "type": "array",
      "items": {
        "type": "object",
        "required": ["key", "operator"],
        "properties": {
          "key": {"type": "string", "description": "The label's key."},
          "operator": {"type": "string", "description": "In, NotIn, Exists or DoesNotExist."},
          "values": {"description": "For In and NotIn.", )json",
                kStrings, R"json(}
        }
      }
    },
    "matchLabels": {"description": "Labels that must have these values.", )json",
                kStringMap, "}}}");
}

// Hints for consoles about the fields of a kind.
std::string Descriptors(std::string_view description) {
  return StrCat(R"json({"description": ")json", description, R"json(", "type": "array", "items": {
    "type": "object",
    "required": ["path"],
    "properties": {
      "description": {"type": "string", "description": "What the field means."},
      "displayName": {"type": "string", "description": "The field's name for people."},
      "path": {"type": "string", "description": "Where the field is, with dots between the parts."},
      "value": {"type": "string", "format": "byte", "description": "A value to show when there is none."},
      "x-descriptors": {"description": "How consoles should show the field.", )json",
                kStrings, "}}}}");
}

// One entry of the owned or required kinds. `more`: members that only one sort of entry has.
std::string ApiDescription(std::string_view description, std::string_view required,
                           std::string_view more) {
  return StrCat(R"json({"description": ")json", description, R"json(", "type": "array", "items": {
    "type": "object",
    "required": [)json",
                required, R"json("kind", "name", "version"],
    "properties": {
      )json",
                more, R"json("actionDescriptors": )json",
                Descriptors("Fields that start something."), R"json(,
      "description": {"type": "string", "description": "What the kind is for."},
      "displayName": {"type": "string", "description": "The kind's name for people."},
      "kind": {"type": "string", "description": "The kind."},
      "name": {"type": "string", "description": "The definition's name: plural and group."},
      "resources": {
        "description": "Objects that an instance of the kind leads to.",
        "type": "array",
        "items": {
          "type": "object",
          "required": ["kind", "name", "version"],
          "properties": {
            "kind": {"type": "string", "description": "Their kind."},
            "name": {"type": "string", "description": "Their name, or that of their definition."},
            "version": {"type": "string", "description": "Their version."}
          }
        }
      },
      "specDescriptors": )json",
                Descriptors("Fields of spec."), R"json(, "statusDescriptors": )json",
                Descriptors("Fields of status."), R"json(,
      "version": {"type": "string", "description": "The version."}
    }
  }})json");
}

std::string OwnedAndRequired(std::string_view description, std::string_view required,
                             std::string_view more) {
  return StrCat(R"json({"description": ")json", description,
                R"json(", "type": "object", "properties": {"owned": )json",
                ApiDescription("Kinds that the operator brings and serves.", required, more),
                R"json(, "required": )json",
                ApiDescription("Kinds of others that the operator needs.", required, more), "}}");
}

std::string Permissions(std::string_view description) {
  return StrCat(R"json({"description": ")json", description, R"json(", "type": "array", "items": {
    "type": "object",
    "required": ["rules", "serviceAccountName"],
    "properties": {
      "rules": {
        "description": "What it may do.",
        "type": "array",
        "items": {
          "type": "object",
          "required": ["verbs"],
          "properties": {
            "apiGroups": {"description": "Groups that the rule is about.", )json",
                kStrings, R"json(},
            "nonResourceURLs": {"description": "Paths that the rule is about, outside of any resource.", )json",
                kStrings, R"json(},
            "resourceNames": {"description": "The only objects that the rule is about, by name.", )json",
                kStrings, R"json(},
            "resources": {"description": "Resources that the rule is about.", )json",
                kStrings, R"json(},
            "verbs": {"description": "What may be done.", )json",
                kStrings, R"json(}
          }
        }
      },
      "serviceAccountName": {"type": "string", "description": "Who may do it."}
    }
  }})json");
}

std::string Install() {
  return StrCat(R"json({
  "description": "How the operator is installed.",
  "type": "object",
  "required": ["strategy"],
  "properties": {
    "spec": {
      "description": "What is installed.",
      "type": "object",
      "required": ["deployments"],
      "properties": {
        "clusterPermissions": )json",
                Permissions("Rights in the whole cluster."), R"json(,
        "deployments": {
          "description": "The workloads that are the operator.",
          "type": "array",
          "items": {
            "type": "object",
            "required": ["name", "spec"],
            "properties": {
              "label": {"description": "Labels of the Deployment.", )json",
                kStringMap, R"json(},
              "name": {"type": "string", "description": "Name of the Deployment."},
              "spec": {"type": "object", "description": "The Deployment's spec (apps/v1).", "x-kubernetes-preserve-unknown-fields": true}
            }
          }
        },
        "permissions": )json",
                Permissions("Rights in the target namespaces."), R"json(
      }
    },
    "strategy": {"type": "string", "description": "deployment, the only strategy there is."}
  }
})json");
}

std::string Webhooks() {
  return StrCat(R"json({
  "description": "Webhooks that the operator serves.",
  "type": "array",
  "items": {
    "type": "object",
    "required": ["admissionReviewVersions", "generateName", "sideEffects", "type"],
    "properties": {
      "admissionReviewVersions": {"description": "Versions of AdmissionReview that the webhook understands, the favourite first.", )json",
                kStrings, R"json(},
      "containerPort": {"type": "integer", "format": "int32", "description": "Port of the webhook's service."},
      "conversionCRDs": {"description": "Custom resource definitions whose versions the webhook converts.", )json",
                kStrings, R"json(},
      "deploymentName": {"type": "string", "description": "The workload that serves it."},
      "failurePolicy": {"type": "string", "description": "What becomes of a request when the webhook is down: Fail or Ignore."},
      "generateName": {"type": "string", "description": "Prefix of the webhook's name."},
      "matchPolicy": {"type": "string", "description": "Exact or Equivalent."},
      "objectSelector": )json",
                Selector("Which objects the webhook sees."), R"json(,
      "reinvocationPolicy": {"type": "string", "description": "Never or IfNeeded."},
      "rules": {
        "description": "Which requests the webhook sees.",
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "apiGroups": {"description": "Groups.", )json",
                kStrings, R"json(},
            "apiVersions": {"description": "Versions.", )json",
                kStrings, R"json(},
            "operations": {"description": "CREATE, UPDATE, DELETE, CONNECT or *.", )json",
                kStrings, R"json(},
            "resources": {"description": "Resources and subresources.", )json",
                kStrings, R"json(},
            "scope": {"type": "string", "description": "Cluster, Namespaced or *."}
          }
        }
      },
      "sideEffects": {"type": "string", "description": "None or NoneOnDryRun, mostly."},
      "targetPort": {"type": "string", "format": "int-or-string", "x-kubernetes-int-or-string": true, "description": "Port of the workload, by number or name."},
      "timeoutSeconds": {"type": "integer", "format": "int32", "description": "How long a call may take."},
      "type": {"type": "string", "description": "ValidatingAdmissionWebhook, MutatingAdmissionWebhook or ConversionWebhook."},
      "webhookPath": {"type": "string", "description": "Path of the webhook's URL."}
    }
  }
})json");
}

// Members of spec that are about people reading it.
std::string Presentation() {
  return StrCat(R"json(
  "annotations": {"description": "Free notes.", )json",
                kStringMap, R"json(},
  "description": {"type": "string", "description": "What the operator does, at length. Markdown."},
  "displayName": {"type": "string", "description": "The operator's name for people."},
  "icon": {
    "description": "The operator's icon. The subresource icon serves it as an image.",
    "type": "array",
    "items": {
      "type": "object",
      "required": ["base64data", "mediatype"],
      "properties": {
        "base64data": {"type": "string", "description": "The image, in base64."},
        "mediatype": {"type": "string", "description": "Its media type: image/svg+xml, say."}
      }
    }
  },
  "keywords": {"description": "Words to find the operator by.", )json",
                kStrings, R"json(},
  "labels": {"description": "Labels that the author gives the operator's parts.", )json",
                kStringMap, R"json(},
  "links": {
    "description": "Where to read more.",
    "type": "array",
    "items": {
      "type": "object",
      "properties": {
        "name": {"type": "string", "description": "What is there."},
        "url": {"type": "string", "description": "Where it is."}
      }
    }
  },
  "maintainers": {
    "description": "Who looks after the operator.",
    "type": "array",
    "items": {
      "type": "object",
      "properties": {
        "email": {"type": "string", "description": "How to reach them."},
        "name": {"type": "string", "description": "Their name."}
      }
    }
  },
  "maturity": {"type": "string", "description": "How ripe the operator is, in the author's words: alpha, stable."},
  "provider": {
    "description": "Who publishes the operator.",
    "type": "object",
    "properties": {
      "name": {"type": "string", "description": "Their name."},
      "url": {"type": "string", "description": "Their site."}
    }
  },
  )json");
}

// Members of spec about which version this is and what it may replace.
std::string Versioning() {
  return StrCat(R"json(
  "minKubeVersion": {"type": "string", "description": "The oldest Kubernetes that the operator works on."},
  "release": {"type": "string", "description": "Tells apart packagings of one version: dot-separated letters, digits and hyphens."},
  "replaces": {"type": "string", "description": "Name of the ClusterServiceVersion that this one is the update of."},
  "skips": {"description": "Names of ClusterServiceVersions that an update may leap over to this one.", )json",
                kStrings, R"json(},
  "version": {"type": "string", "description": "The operator's version (semantic versioning)."},
  )json");
}

}  // namespace

std::string InstalledOperatorSpecSchema() {
  constexpr std::string_view kServed = R"json(
      "containerPort": {"type": "integer", "format": "int32", "description": "Port of the service."},
      "deploymentName": {"type": "string", "description": "The workload that serves it."},
      "group": {"type": "string", "description": "The group."},
      )json";
  return StrCat(
      R"json({
"description": "The operator as its author describes it: the ClusterServiceVersion's spec.",
"type": "object",
"required": ["displayName", "install"],
"properties": {)json",
      Presentation(), Versioning(), R"json(
  "apiservicedefinitions": )json",
      OwnedAndRequired("Kinds served by aggregated API servers.", R"("group", )", kServed),
      R"json(,
  "cleanup": {
    "description": "What becomes of custom resources when the operator is uninstalled.",
    "type": "object",
    "required": ["enabled"],
    "properties": {
      "enabled": {"type": "boolean", "description": "Delete them first, and wait until they are gone."}
    }
  },
  "customresourcedefinitions": )json",
      OwnedAndRequired("Kinds defined by custom resource definitions.", "", ""), R"json(,
  "install": )json",
      Install(), R"json(,
  "installModes": {
    "description": "How many namespaces one installation can watch.",
    "type": "array",
    "items": {
      "type": "object",
      "required": ["supported", "type"],
      "properties": {
        "supported": {"type": "boolean", "description": "Whether it can."},
        "type": {"type": "string", "description": "OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces."}
      }
    }
  },
  "nativeAPIs": {
    "description": "Kinds that the cluster itself must serve.",
    "type": "array",
    "items": {
      "type": "object",
      "required": ["group", "kind", "version"],
      "properties": {
        "group": {"type": "string", "description": "The group."},
        "kind": {"type": "string", "description": "The kind."},
        "version": {"type": "string", "description": "The version."}
      }
    }
  },
  "relatedImages": {
    "description": "Container images that the operator may use.",
    "type": "array",
    "items": {
      "type": "object",
      "required": ["image", "name"],
      "properties": {
        "image": {"type": "string", "description": "Where to pull it."},
        "name": {"type": "string", "description": "What it is called."}
      }
    }
  },
  "selector": )json",
      Selector("The author's labels of the operator's parts, as a selector."), R"json(,
  "webhookdefinitions": )json",
      Webhooks(), "}}");
}

}  // namespace steward::views
