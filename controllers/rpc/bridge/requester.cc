#include "controllers/rpc/bridge/requester.h"

#include <algorithm>
#include <utility>

#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

constexpr char kAuthenticated[] = "system:authenticated";

absl::Status MayNotSpeakForOthers(const std::string& name) {
  return kube::ToStatus(kube::ForbiddenBecause(
      StrCat("the client \"", name, "\" is no frontend: it may not ask on behalf of others")));
}

}  // namespace

std::string Requester::ToString() const {
  if (frontend.empty()) return StrCat("\"", user.name, "\"");
  return StrCat("\"", user.name, "\" through \"", frontend, "\"");
}

kube::UserInfo UserNamed(const common::v1::Requester& message) {
  kube::UserInfo user;
  user.name = message.user();
  user.uid = message.uid();
  user.groups.assign(message.groups().begin(), message.groups().end());
  for (const auto& [key, values] : message.extra()) {
    user.extra.emplace_back(
        key, std::vector<std::string>(values.values().begin(), values.values().end()));
  }
  // A map of protobuf has no order, and equal users must give equal reviews.
  std::sort(user.extra.begin(), user.extra.end());
  return user;
}

absl::StatusOr<Requester> RequesterOf(const CertificateSubject& subject,
                                      const std::vector<std::string>& frontends,
                                      const common::v1::Requester* on_behalf_of) {
  if (subject.common_name.empty()) return kube::ToStatus(kube::Unauthorized());
  if (on_behalf_of != nullptr) {
    if (std::find(frontends.begin(), frontends.end(), subject.common_name) == frontends.end()) {
      return MayNotSpeakForOthers(subject.common_name);
    }
    if (on_behalf_of->user().empty()) {
      return kube::ToStatus(kube::BadRequest("on_behalf_of names no user"));
    }
    // The groups are complete: the server that authenticated the user has added those of all users.
    Requester requester;
    requester.user = UserNamed(*on_behalf_of);
    requester.frontend = subject.common_name;
    return requester;
  }
  Requester requester;
  std::vector<std::string> groups = subject.organizations;
  if (std::find(groups.begin(), groups.end(), kAuthenticated) == groups.end()) {
    groups.emplace_back(kAuthenticated);
  }
  requester.user.name = subject.common_name;
  requester.user.groups = std::move(groups);
  return requester;
}

}  // namespace steward::rpc
