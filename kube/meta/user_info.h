// A user as Kubernetes names it (authentication.k8s.io/v1 UserInfo). A plain value.
#ifndef KUBE_META_USER_INFO_H_
#define KUBE_META_USER_INFO_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace steward::kube {

using UserExtra = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct UserInfo {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  UserExtra extra;
  // The expiry of the credentials; nullopt: never, or unknown.
  std::optional<absl::Time> until;

  bool operator==(const UserInfo&) const = default;
};

}  // namespace steward::kube

#endif  // KUBE_META_USER_INFO_H_
