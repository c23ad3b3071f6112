// The headers of requests that act as another user (Kubernetes' user impersonation). Pure
// functions.
#ifndef KUBE_CLIENT_IMPERSONATION_H_
#define KUBE_CLIENT_IMPERSONATION_H_

#include <string>

#include "absl/status/status.h"
#include "kube/meta/user_info.h"

namespace steward::kube {

// Whether a request can act as `user`. kInvalidArgument for the name "", and for a text that a
// server would not receive unchanged: an empty text, one with a control character, or one with
// white space at an end, which HTTP drops. Values of `extra` may be empty.
absl::Status CheckImpersonation(const UserInfo& user);

// Whether Client::As may act as `user`: as CheckImpersonation, and `user` must not be in the group
// system:masters. (Who runs a program may impersonate that group with --as-group.)
absl::Status CheckActingUser(const UserInfo& user);

// The lines Impersonate-User, -Uid, -Group and -Extra-<key>, each with its end. The keys of `extra`
// are percent-encoded, upper case included, because servers read header names in lower case.
// REQUIRES: CheckImpersonation(user) is OK.
std::string ImpersonationHeaders(const UserInfo& user);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_IMPERSONATION_H_
