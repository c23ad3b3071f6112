#include "payload/object_health.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/text/str_cat.h"
#include "kube/meta/condition.h"
#include "olm/plan/definition_change.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

int64_t NumberAt(const json::object& object, std::string_view key, int64_t otherwise = 0) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : otherwise;
}

struct Condition {
  std::string_view status;  // "" = the condition is absent
  std::string_view message;
};

Condition ReadCondition(const json::object& live, std::string_view type) {
  const json::object* condition = kube::ConditionOf(live, type);
  if (condition == nullptr) return {};
  return {StringAt(*condition, "status"), StringAt(*condition, "message")};
}

std::string WithMessage(std::string what, std::string_view message) {
  return message.empty() ? what : StrCat(what, ": ", message);
}

absl::StatusOr<std::string> LackOfJob(const json::object& live) {
  const Condition failed = ReadCondition(live, "Failed");
  if (failed.status == "True") {
    return absl::FailedPreconditionError(WithMessage("the Job has failed", failed.message));
  }
  return ReadCondition(live, "Complete").status == "True" ? "" : "the Job is not complete yet";
}

std::string LackOfDefinition(const json::object& live) {
  std::string refused;
  if (olm::IsEstablished(live, &refused)) return "";
  return WithMessage("the definition's API is not there yet", refused);
}

// Returns true once the controller has observed the object's current generation.
bool IsSeen(const json::object& live, const json::object& status) {
  return NumberAt(status, "observedGeneration") >= NumberAt(PartOf(live, "metadata"), "generation");
}

std::string LackOfDeployment(const json::object& live, const json::object& status) {
  if (!IsSeen(live, status)) return "the Deployment was not seen by its controller yet";
  const int64_t wanted = NumberAt(PartOf(live, "spec"), "replicas", 1);
  const int64_t updated = NumberAt(status, "updatedReplicas");
  if (updated < wanted) {
    return WithMessage(StrCat(updated, " of ", wanted, " replicas are of this generation"),
                       ReadCondition(live, "ReplicaFailure").message);
  }
  const Condition available = ReadCondition(live, "Available");
  if (available.status == "True") return "";
  return WithMessage("the Deployment is not available", available.message);
}

std::string LackOfDaemonSet(const json::object& live, const json::object& status) {
  if (!IsSeen(live, status)) return "the DaemonSet was not seen by its controller yet";
  const int64_t wanted = NumberAt(status, "desiredNumberScheduled");
  const json::object& strategy = PartOf(PartOf(live, "spec"), "updateStrategy");
  const int64_t updated = NumberAt(status, "updatedNumberScheduled");
  // With OnDelete, Pods are updated only when somebody deletes them, so old Pods are no lack.
  if (StringAt(strategy, "type") != "OnDelete" && updated < wanted) {
    return StrCat(updated, " of ", wanted, " nodes have the Pod of this generation");
  }
  const int64_t available = NumberAt(status, "numberAvailable");
  if (available >= wanted) return "";
  return StrCat(available, " of ", wanted, " nodes have an available Pod");
}

std::map<std::string_view, std::string_view> VersionsOf(const json::object& status) {
  std::map<std::string_view, std::string_view> versions;
  const json::array* list = ArrayAt(status, "versions");
  if (list == nullptr) return versions;
  for (const json::value& each : *list) {
    const json::object* one = each.if_object();
    if (one != nullptr) versions[StringAt(*one, "name")] = StringAt(*one, "version");
  }
  return versions;
}

std::string LackOfOperator(const olm::PayloadManifest& manifest, const json::object& live) {
  const Condition available = ReadCondition(live, "Available");
  if (available.status != "True") {
    return WithMessage("the ClusterOperator is not available", available.message);
  }
  std::map<std::string_view, std::string_view> reported = VersionsOf(PartOf(live, "status"));
  std::vector<std::string> behind;
  for (const auto& [name, version] : VersionsOf(PartOf(manifest.object, "status"))) {
    if (reported[name] != version) behind.push_back(StrCat(name, " ", version));
  }
  if (behind.empty()) return "";
  return StrCat("the ClusterOperator does not report ", absl::StrJoin(behind, ", "), " yet");
}

}  // namespace

bool HasHealth(const olm::PayloadIdentity& identity) {
  const auto is = [&identity](std::string_view group, std::string_view kind) {
    return identity.group == group && identity.kind == kind;
  };
  return is("apiextensions.k8s.io", "CustomResourceDefinition") || is("batch", "Job") ||
         is("apps", "Deployment") || is("apps", "DaemonSet") ||
         is("config.openshift.io", "ClusterOperator");
}

absl::StatusOr<std::string> LackOf(const olm::PayloadManifest& manifest, const json::object& live) {
  if (!HasHealth(manifest.identity)) return "";
  const json::object& status = PartOf(live, "status");
  const std::string& kind = manifest.identity.kind;
  if (kind == "CustomResourceDefinition") return LackOfDefinition(live);
  if (kind == "Job") return LackOfJob(live);
  if (kind == "Deployment") return LackOfDeployment(live, status);
  if (kind == "DaemonSet") return LackOfDaemonSet(live, status);
  return LackOfOperator(manifest, live);
}

}  // namespace steward::payload
