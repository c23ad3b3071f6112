// A Secret that this family keeps, unless somebody else does. Lives on one executor.
#ifndef CONTROLLERS_CERTIFICATES_MANAGED_SECRET_H_
#define CONTROLLERS_CERTIFICATES_MANAGED_SECRET_H_

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

using SecretData = std::map<std::string, std::string>;

// A Secret as it was read.
struct ManagedSecret {
  // kForeign: it is not marked as ours, or cert-manager, OpenShift's service CA or an owner keeps
  // it. It is not written.
  enum class Keeper { kNobody, kUs, kForeign };

  kube::NamespacedName name;
  Keeper keeper = Keeper::kNobody;  // kNobody: there is none
  std::string uid;
  std::string resource_version;
  SecretData data;

  // "" = absent.
  std::string_view Text(const std::string& key) const;
};

// True if the annotations say that cert-manager or OpenShift's service CA writes into the object.
bool IsInjected(const boost::json::object* annotations);

Task<ManagedSecret> ReadSecret(kube::Client& client, kube::NamespacedName name);

// Makes the Secret's data exactly these, in one write, and `secret` what is stored then. Conflict
// or AlreadyExists when it is not any more as it was read. REQUIRES: it is not foreign.
StatusTask WriteSecret(kube::Client& client, ManagedSecret& secret, std::string_view type,
                       const SecretData& data);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_MANAGED_SECRET_H_
