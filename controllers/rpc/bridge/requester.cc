#include "controllers/rpc/bridge/requester.h"

#include <algorithm>

#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

constexpr char kAuthenticated[] = "system:authenticated";

absl::Status MayNotSpeakForOthers(const std::string& name) {
  kube::Status status;
  status.code = 403;
  status.reason = "Forbidden";
  status.message =
      StrCat("the client \"", name, "\" is no frontend: it may not ask on behalf of others");
  return kube::ToStatus(status);
}

}  // namespace

std::string Requester::ToString() const {
  if (frontend.empty()) return StrCat("\"", user, "\"");
  return StrCat("\"", user, "\" through \"", frontend, "\"");
}

Requester RequesterNamed(const common::v1::Requester& message) {
  Requester requester;
  requester.user = message.user();
  requester.uid = message.uid();
  requester.groups.assign(message.groups().begin(), message.groups().end());
  for (const auto& [key, values] : message.extra()) {
    requester.extra[key].assign(values.values().begin(), values.values().end());
  }
  return requester;
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
    Requester requester = RequesterNamed(*on_behalf_of);
    requester.frontend = subject.common_name;
    return requester;
  }
  Requester requester;
  requester.user = subject.common_name;
  requester.groups = subject.organizations;
  if (std::find(requester.groups.begin(), requester.groups.end(), kAuthenticated) ==
      requester.groups.end()) {
    requester.groups.emplace_back(kAuthenticated);
  }
  return requester;
}

}  // namespace steward::rpc
