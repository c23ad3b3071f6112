// A Secret that this family of reconcilers keeps, unless somebody else keeps it. Lives on one
// executor.
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
  // kForeign: the Secret does not have our mark, or cert-manager, OpenShift's service CA or an
  // owner keeps it. We never write it.
  enum class Keeper { kNobody, kUs, kForeign };

  kube::NamespacedName name;
  Keeper keeper = Keeper::kNobody;  // kNobody: there is no such Secret
  std::string uid;
  std::string resource_version;
  SecretData data;

  // "" = absent.
  std::string_view Text(const std::string& key) const;
};

// True if the annotations say that cert-manager or OpenShift's service CA writes into the object.
bool IsInjected(const boost::json::object* annotations);

Task<ManagedSecret> ReadSecret(kube::Client& client, kube::NamespacedName name);

// Sets the Secret's data to exactly `data` in one write, and `secret` to the stored result.
// Conflict or AlreadyExists when it has changed since it was read. REQUIRES: `secret` is not
// foreign.
StatusTask WriteSecret(kube::Client& client, ManagedSecret& secret, std::string_view type,
                       const SecretData& data);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_MANAGED_SECRET_H_
