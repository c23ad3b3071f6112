#include "olm/payload/payload.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cctype>
#include <map>
#include <optional>
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

using GroupKind = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kOlm = "operators.coreos.com";
constexpr std::string_view kMonitoring = "monitoring.coreos.com";
constexpr std::string_view kNetworking = "networking.k8s.io";

// The kinds that every Kubernetes, OLM and OpenShift have; true for namespaced kinds.
const std::map<GroupKind, bool>& NamespacedKinds() {
  static const auto& kinds = *new std::map<GroupKind, bool>{
      {{"", "Namespace"}, false},
      {{"", "Node"}, false},
      {{"", "PersistentVolume"}, false},
      {{kAdmission, "MutatingWebhookConfiguration"}, false},
      {{kAdmission, "ValidatingAdmissionPolicy"}, false},
      {{kAdmission, "ValidatingAdmissionPolicyBinding"}, false},
      {{kAdmission, "ValidatingWebhookConfiguration"}, false},
      {{"apiextensions.k8s.io", "CustomResourceDefinition"}, false},
      {{"apiregistration.k8s.io", "APIService"}, false},
      {{"config.openshift.io", "ClusterOperator"}, false},
      {{kRbac, "ClusterRole"}, false},
      {{kRbac, "ClusterRoleBinding"}, false},
      {{"scheduling.k8s.io", "PriorityClass"}, false},
      {{"security.openshift.io", "SecurityContextConstraints"}, false},
      {{"storage.k8s.io", "CSIDriver"}, false},
      {{"storage.k8s.io", "StorageClass"}, false},
      {{"", "ConfigMap"}, true},
      {{"", "Endpoints"}, true},
      {{"", "Event"}, true},
      {{"", "LimitRange"}, true},
      {{"", "PersistentVolumeClaim"}, true},
      {{"", "Pod"}, true},
      {{"", "ReplicationController"}, true},
      {{"", "ResourceQuota"}, true},
      {{"", "Secret"}, true},
      {{"", "Service"}, true},
      {{"", "ServiceAccount"}, true},
      {{"apps", "DaemonSet"}, true},
      {{"apps", "Deployment"}, true},
      {{"apps", "ReplicaSet"}, true},
      {{"apps", "StatefulSet"}, true},
      {{"autoscaling", "HorizontalPodAutoscaler"}, true},
      {{"batch", "CronJob"}, true},
      {{"batch", "Job"}, true},
      {{"coordination.k8s.io", "Lease"}, true},
      {{"image.openshift.io", "ImageStream"}, true},
      {{kMonitoring, "PodMonitor"}, true},
      {{kMonitoring, "PrometheusRule"}, true},
      {{kMonitoring, "ServiceMonitor"}, true},
      {{kNetworking, "Ingress"}, true},
      {{kNetworking, "NetworkPolicy"}, true},
      {{kOlm, "CatalogSource"}, true},
      {{kOlm, "ClusterServiceVersion"}, true},
      {{kOlm, "InstallPlan"}, true},
      {{kOlm, "OperatorGroup"}, true},
      {{kOlm, "Subscription"}, true},
      {{"policy", "PodDisruptionBudget"}, true},
      {{kRbac, "Role"}, true},
      {{kRbac, "RoleBinding"}, true},
      {{"route.openshift.io", "Route"}, true},
  };
  return kinds;
}

// For a kind that two groups serve: the group and kind under which its objects are stored.
std::optional<GroupKind> StoredKind(const GroupKind& served) {
  static const auto& kinds = *new std::map<GroupKind, GroupKind>{
      {{"project.openshift.io", "Project"}, {"", "Namespace"}},
      {{"events.k8s.io", "Event"}, {"", "Event"}},
      {{"authorization.openshift.io", "ClusterRole"}, {kRbac, "ClusterRole"}},
      {{"authorization.openshift.io", "ClusterRoleBinding"}, {kRbac, "ClusterRoleBinding"}},
      {{"authorization.openshift.io", "Role"}, {kRbac, "Role"}},
      {{"authorization.openshift.io", "RoleBinding"}, {kRbac, "RoleBinding"}},
      {{"", "SecurityContextConstraints"}, {"security.openshift.io", "SecurityContextConstraints"}},
      {{"extensions", "DaemonSet"}, {"apps", "DaemonSet"}},
      {{"extensions", "Deployment"}, {"apps", "Deployment"}},
      {{"extensions", "Ingress"}, {kNetworking, "Ingress"}},
      {{"extensions", "NetworkPolicy"}, {kNetworking, "NetworkPolicy"}},
      {{"extensions", "ReplicaSet"}, {"apps", "ReplicaSet"}},
  };
  const auto found = kinds.find(served);
  return found == kinds.end() ? std::nullopt : std::optional<GroupKind>(found->second);
}

// True if a member of metadata is text, or absent.
bool IsText(const json::object& metadata, std::string_view key) {
  const json::value* value = metadata.if_contains(key);
  return value == nullptr || value->is_string();
}

// Reads the object's identity. An error says what is missing or wrong, so that no object is taken
// for another one.
absl::Status ReadIdentity(const json::object& object, PayloadManifest& manifest) {
  manifest.gvk = kube::KindOf(object);
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata != nullptr) {
    manifest.identity.ns = StringAt(*metadata, "namespace");
    manifest.identity.name = StringAt(*metadata, "name");
  }
  manifest.identity.group = manifest.gvk.group;
  manifest.identity.kind = manifest.gvk.kind;
  manifest.identity = manifest.identity.Stored();
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
  if (!identity.ns.empty() && identity.IsNamespaced() == false) {
    return absl::InvalidArgumentError(
        StrCat(what, ": objects of its kind lie in no namespace, and it names one"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PayloadIdentity::ToString() const {
  return StrCat(kind, group.empty() ? "" : ".", group, " \"", ns, ns.empty() ? "" : "/", name,
                "\"");
}

PayloadIdentity PayloadIdentity::Stored() const {
  PayloadIdentity stored = *this;
  if (const std::optional<GroupKind> kind = StoredKind({group, this->kind})) {
    stored.group = kind->first;
    stored.kind = kind->second;
  }
  return stored;
}

bool PayloadIdentity::IsNamespace() const { return group.empty() && kind == "Namespace"; }

std::optional<bool> PayloadIdentity::IsNamespaced() const {
  const auto found = NamespacedKinds().find({group, kind});
  return found == NamespacedKinds().end() ? std::nullopt : std::optional<bool>(found->second);
}

std::string PayloadManifest::StoredVersion() const {
  return identity.group == gvk.group && identity.kind == gvk.kind ? gvk.version : "";
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
    // A wrong value is a fault anyway, because nobody knows whether a removal was meant.
    manifest.deletes = deletes.ok() && *deletes;
    manifest.create_only =
        !manifest.deletes && IsTrue(AnnotationAt(document.object, kPayloadCreateOnly));
    manifest.object = std::move(document.object);
    payload.manifests.push_back(std::move(manifest));
  }
  return payload;
}

}  // namespace steward::olm
