#include "controllers/apiservice_guard/registration.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/metadata_access.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::string_view kServiceName = "steward-apiserver";
constexpr int kGroupPriority = 1000;
constexpr int kVersionPriority = 15;

// True if the guard's role is an owner, whatever its UID. If the role was created anew, no write is
// needed: the garbage collector is about to delete the APIService, and the guard then creates it
// again.
bool NamesOwner(const json::object& metadata) {
  const json::array* owners = ArrayAt(metadata, "ownerReferences");
  if (owners == nullptr) return false;
  return std::any_of(owners->begin(), owners->end(), [](const json::value& owner) {
    return owner.is_object() && StringAt(owner.get_object(), "kind") == "ClusterRole" &&
           StringAt(owner.get_object(), "name") == kGuardRole;
  });
}

void ReadAvailable(const json::object& condition, Registration& registration) {
  const std::string_view status = StringAt(condition, "status");
  if (status == "True") registration.available = Registration::Available::kTrue;
  if (status == "False") registration.available = Registration::Available::kFalse;
  registration.message =
      StrCat(StringAt(condition, "reason"), ": ", StringAt(condition, "message"));
  const std::string since(StringAt(condition, "lastTransitionTime"));
  std::string error;
  // A condition without a time counts as one that has just begun.
  if (!absl::ParseTime(absl::RFC3339_full, since, &registration.since, &error)) {
    registration.since = absl::InfiniteFuture();
  }
}

}  // namespace

std::string ServiceTarget::ServerName() const {
  return StrCat(service.name, ".", service.ns, ".svc");
}

absl::StatusOr<Registration> ReadRegistration(const json::value& object) {
  const json::object* metadata = kube::MetadataOf(object);
  if (metadata == nullptr) return absl::DataLossError("the APIService has no metadata");
  Registration registration;
  registration.uid = kube::MetadataText(object, "uid");
  registration.resource_version = kube::MetadataText(object, "resourceVersion");
  registration.terminating = metadata->contains("deletionTimestamp");
  registration.owned = NamesOwner(*metadata);
  const json::object* status = ObjectAt(object.get_object(), "status");
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (conditions == nullptr) return registration;
  for (const json::value& each : *conditions) {
    const json::object* condition = each.if_object();
    if (condition == nullptr || StringAt(*condition, "type") != "Available") continue;
    ReadAvailable(*condition, registration);
  }
  return registration;
}

json::value WithoutOrigin(const json::value& object) {
  json::value kept = object;
  json::object& members = kept.as_object();
  members.erase("status");
  members["apiVersion"] = "apiregistration.k8s.io/v1";
  members["kind"] = "APIService";
  json::object& metadata = members["metadata"].as_object();
  for (const char* key : {"uid", "resourceVersion", "generation", "creationTimestamp", "selfLink",
                          "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    metadata.erase(key);
  }
  return kept;
}

kube::NamespacedName WantedRegistration::Service() const { return {ns, std::string(kServiceName)}; }

json::value WantedRegistration::Object() const {
  json::object metadata;
  metadata["name"] = kGuardedApiService;
  metadata["labels"] = {{"app.kubernetes.io/name", "steward"},
                        {"app.kubernetes.io/part-of", "steward"}};
  json::object notes;
  for (const auto& [key, text] : annotations) notes[key] = text;
  if (!notes.empty()) metadata["annotations"] = std::move(notes);
  json::object spec;
  spec["group"] = kGuardedVersion.group;
  spec["version"] = kGuardedVersion.version;
  spec["groupPriorityMinimum"] = kGroupPriority;
  spec["versionPriority"] = kVersionPriority;
  spec["service"] = {{"name", kServiceName}, {"namespace", ns}, {"port", int64_t{port}}};
  json::object object;
  object["apiVersion"] = "apiregistration.k8s.io/v1";
  object["kind"] = "APIService";
  object["metadata"] = std::move(metadata);
  object["spec"] = std::move(spec);
  return object;
}

json::value OwnerReferences(const std::string& uid) {
  json::object owner;
  owner["apiVersion"] = "rbac.authorization.k8s.io/v1";
  owner["kind"] = "ClusterRole";
  owner["name"] = kGuardRole;
  owner["uid"] = uid;
  return json::array{std::move(owner)};
}

void SetOwner(const std::string& uid, json::value& object) {
  object.as_object()["metadata"].as_object()["ownerReferences"] = OwnerReferences(uid);
}

void SetCaBundle(const std::string& pem, json::value& object) {
  object.as_object()["spec"].as_object()["caBundle"] = absl::Base64Escape(pem);
}

absl::StatusOr<ServiceTarget> TargetOf(const json::value& object) {
  const json::object* members = object.if_object();
  const json::object* spec = members == nullptr ? nullptr : ObjectAt(*members, "spec");
  const json::object* service = spec == nullptr ? nullptr : ObjectAt(*spec, "service");
  if (service == nullptr) return absl::DataLossError("the APIService leads to no Service");
  ServiceTarget target;
  target.service = {std::string(StringAt(*service, "namespace")),
                    std::string(StringAt(*service, "name"))};
  const json::value* port = service->if_contains("port");
  if (port != nullptr && port->is_int64() && port->get_int64() > 0 &&
      port->get_int64() <= std::numeric_limits<uint16_t>::max()) {
    target.port = static_cast<uint16_t>(port->get_int64());
  }
  target.insecure = BoolAt(*spec, "insecureSkipTLSVerify");
  const std::string_view bundle = StringAt(*spec, "caBundle");
  if (!absl::Base64Unescape(absl::string_view(bundle.data(), bundle.size()), &target.ca_pem)) {
    return absl::DataLossError("the caBundle is not base64");
  }
  return target;
}

}  // namespace steward::controllers
