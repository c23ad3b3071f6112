// Who asks.
#ifndef CONTROLLERS_RPC_REQUESTER_H_
#define CONTROLLERS_RPC_REQUESTER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tls/subject.h"
#include "proto/steward/v1/cleanup.pb.h"

namespace steward::controllers {

// As a SubjectAccessReview names a user.
struct Requester {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

// Whom a verified certificate speaks for: its common name with its organizations as groups, or,
// where `on_behalf_of` (may be null) is set, that one, if the common name is one of `frontends`.
// The holder of a certificate is in the group system:authenticated, too. Errors carry a Kubernetes
// Status: Unauthorized for a certificate without a name, Forbidden for naming somebody without
// being a frontend, BadRequest for naming nobody.
absl::StatusOr<Requester> RequesterOf(const CertificateSubject& subject,
                                      const std::vector<std::string>& frontends,
                                      const v1::Requester* on_behalf_of);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RPC_REQUESTER_H_
