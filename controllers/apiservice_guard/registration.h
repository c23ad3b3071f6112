// The APIService through which a cluster reaches Steward: the parts that its guard uses. Values and
// pure functions.
#ifndef CONTROLLERS_APISERVICE_GUARD_REGISTRATION_H_
#define CONTROLLERS_APISERVICE_GUARD_REGISTRATION_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kube/meta/names.h"

namespace steward::controllers {

inline constexpr std::string_view kGuardedApiService = "v1alpha1.views.operators.coreos.com";
inline const kube::GroupVersion kGuardedVersion = {"views.operators.coreos.com", "v1alpha1"};
// The ClusterRole of the guard's account, which owns the APIService.
inline constexpr std::string_view kGuardRole = "steward-apiservice-guard";
inline const kube::GroupVersionResource kClusterRoles = {"rbac.authorization.k8s.io", "v1",
                                                         "clusterroles"};

// The Service of an APIService, and the authorities that the kube-apiserver trusts there.
struct ServiceTarget {
  kube::NamespacedName service;
  uint16_t port = 443;  // of the Service
  std::string ca_pem;   // "" = the system's authorities
  bool insecure = false;

  // The name that the server's certificate must have.
  std::string ServerName() const;
};

// The APIService that the guard creates if it has not withdrawn an earlier one.
struct WantedRegistration {
  std::string ns;  // of the Service
  uint16_t port = 443;
  std::map<std::string, std::string> annotations;

  kube::NamespacedName Service() const;
  // Has a lower priority than every built-in group and OLM's own, so that a short name that several
  // groups have never selects a resource of Steward. Without a caBundle.
  boost::json::value Object() const;
};

struct Registration {
  enum class Available { kTrue, kFalse, kUnknown };

  std::string uid;
  std::string resource_version;
  bool terminating = false;
  bool owned = false;  // it has the guard's ClusterRole as its owner
  // The condition Available, which the kube-apiserver sets, and since when it has its status.
  Available available = Available::kUnknown;
  absl::Time since;
  std::string message;  // of the condition
};

// kDataLoss if `object` is not an APIService.
absl::StatusOr<Registration> ReadRegistration(const boost::json::value& object);

// The object without its status and without the fields that a cluster sets on creation, so it can
// be created again. Keeps metadata.managedFields.
boost::json::value WithoutOrigin(const boost::json::value& object);

// Makes the guard's ClusterRole, of this UID, the only owner. So the garbage collector deletes the
// APIService once the role is gone, when the guard has no rights any more. Other owners are
// removed, because they would keep the APIService.
void SetOwner(const std::string& uid, boost::json::value& object);
// The value of metadata.ownerReferences that SetOwner sets.
boost::json::value OwnerReferences(const std::string& uid);

void SetCaBundle(const std::string& pem, boost::json::value& object);

// kDataLoss for an APIService without a Service.
absl::StatusOr<ServiceTarget> TargetOf(const boost::json::value& object);

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_REGISTRATION_H_
