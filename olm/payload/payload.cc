#include "olm/payload/payload.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/object_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

const json::value* AnnotationAt(const json::object& object, std::string_view key) {
  const json::object* metadata = ObjectAt(object, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  return annotations == nullptr ? nullptr : annotations->if_contains(key);
}

// True for "true" in any case.
bool IsTrue(const json::value* value) {
  if (value == nullptr || !value->is_string()) return false;
  const std::string_view text = View(value->get_string());
  constexpr std::string_view kTrue = "true";
  return std::equal(text.begin(), text.end(), kTrue.begin(), kTrue.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

// True for kinds that every Kubernetes, OLM and OpenShift have cluster-scoped.
bool IsKnownClusterScoped(const PayloadIdentity& identity) {
  static const auto& kinds = *new std::set<std::pair<std::string, std::string>>{
      {"", "Namespace"},
      {"", "Node"},
      {"", "PersistentVolume"},
      {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
      {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
      {"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
      {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
      {"apiextensions.k8s.io", "CustomResourceDefinition"},
      {"apiregistration.k8s.io", "APIService"},
      {"config.openshift.io", "ClusterOperator"},
      {"project.openshift.io", "Project"},
      {"rbac.authorization.k8s.io", "ClusterRole"},
      {"rbac.authorization.k8s.io", "ClusterRoleBinding"},
  };
  return kinds.contains({identity.group, identity.kind});
}

// True if a member of metadata is text, or absent.
bool IsText(const json::object& metadata, std::string_view key) {
  const json::value* value = metadata.if_contains(key);
  return value == nullptr || value->is_string();
}

// Reads what identifies the object. An error says what is missing, or wrong: an object that could
// be taken for another one is none.
absl::Status ReadIdentity(const json::object& object, PayloadManifest& manifest) {
  manifest.gvk = kube::KindOf(object);
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata != nullptr) {
    manifest.identity.ns = StringAt(*metadata, "namespace");
    manifest.identity.name = StringAt(*metadata, "name");
  }
  manifest.identity.group = manifest.gvk.group;
  manifest.identity.kind = manifest.gvk.kind;
  const PayloadIdentity& identity = manifest.identity;
  if (manifest.gvk.version.empty() || identity.kind.empty() || identity.name.empty()) {
    return absl::InvalidArgumentError("a manifest needs apiVersion, kind and a name");
  }
  const std::string what = identity.ToString();
  if (!IsText(*metadata, "namespace")) {
    return absl::InvalidArgumentError(StrCat(what, ": its namespace is no text"));
  }
  const json::value* annotations = metadata->if_contains("annotations");
  if (annotations != nullptr && !annotations->is_object() && !annotations->is_null()) {
    return absl::InvalidArgumentError(StrCat(what, ": its annotations are no object"));
  }
  if (!kube::IsPathSegmentName(identity.name) ||
      (!identity.ns.empty() && !kube::IsDns1123Label(identity.ns))) {
    return absl::InvalidArgumentError(StrCat(what, ": that is no name of an object"));
  }
  if (!identity.ns.empty() && IsKnownClusterScoped(identity)) {
    return absl::InvalidArgumentError(
        StrCat(what, ": objects of its kind lie in no namespace, and it names one"));
  }
  return absl::OkStatus();
}

std::string Doing(bool deletes) { return deletes ? "deleted" : "applied"; }

}  // namespace

std::string PayloadIdentity::ToString() const {
  return StrCat(kind, group.empty() ? "" : ".", group, " \"", ns, ns.empty() ? "" : "/", name,
                "\"");
}

bool PayloadIdentity::IsNamespace() const {
  return (group.empty() && kind == "Namespace") ||
         (group == "project.openshift.io" && kind == "Project");
}

absl::StatusOr<bool> AsksForRemoval(const json::object& object) {
  const json::value* value = AnnotationAt(object, kPayloadDelete);
  if (value == nullptr) return false;
  if (value->is_string() && View(value->get_string()) == "true") return true;
  return absl::InvalidArgumentError(StrCat("the annotation ", kPayloadDelete, " is ",
                                           Serialize(*value),
                                           "; it may be nothing but the string \"true\""));
}

Payload ReadPayload(std::vector<PayloadDocument> documents) {
  Payload payload;
  // The first manifest of each object, whatever it does.
  std::map<PayloadIdentity, std::pair<std::string, bool>> seen;
  for (PayloadDocument& document : documents) {
    PayloadManifest manifest;
    manifest.file = std::move(document.file);
    manifest.where = document.where;
    if (const absl::Status read = ReadIdentity(document.object, manifest); !read.ok()) {
      payload.faults.push_back({document.where, std::string(ToStd(read.message()))});
      continue;
    }
    const absl::StatusOr<bool> deletes = AsksForRemoval(document.object);
    if (!deletes.ok()) {
      payload.faults.push_back({document.where, StrCat(manifest.identity.ToString(), ": ",
                                                       ToStd(deletes.status().message()))});
    }
    // One whose annotation is wrong may have been meant either way.
    manifest.deletes = deletes.ok() && *deletes;
    manifest.create_only =
        !manifest.deletes && IsTrue(AnnotationAt(document.object, kPayloadCreateOnly));
    const auto [first, is_new] =
        seen.emplace(manifest.identity, std::make_pair(document.where, manifest.deletes));
    if (!is_new) {
      payload.faults.push_back(
          {document.where,
           StrCat(manifest.identity.ToString(), " is ", Doing(manifest.deletes), " here, and ",
                  Doing(first->second.second), " by ", first->second.first)});
    }
    manifest.object = std::move(document.object);
    payload.manifests.push_back(std::move(manifest));
  }
  return payload;
}

}  // namespace steward::olm
