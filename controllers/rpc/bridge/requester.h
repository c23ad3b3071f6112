// The user on whose behalf a call is made, as certificates and frontends name it. Plain values.
#ifndef CONTROLLERS_RPC_BRIDGE_REQUESTER_H_
#define CONTROLLERS_RPC_BRIDGE_REQUESTER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tls/subject.h"
#include "kube/meta/user_info.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::rpc {

// Receives notes about a call for its record. Used by one thread at a time.
class CallNotes {
 public:
  virtual ~CallNotes() = default;
  virtual void NoteDecision(bool allowed, std::string_view reason) = 0;
  // Notes that authorization gave no decision.
  virtual void NoteUndecided() = 0;
};

struct Requester {
  kube::UserInfo user;
  std::string frontend;              // the client that asks on the user's behalf; "" = none
  std::shared_ptr<CallNotes> notes;  // null: nothing is noted

  // Returns a text for people, like `"alice" through "steward-apiserver"`.
  std::string ToString() const;
};

// Returns the user that a client names, without any check. The keys of `extra` are sorted.
kube::UserInfo UserNamed(const common::v1::Requester& message);

// Returns the user of a call with a verified certificate: its common name with its organizations as
// groups. If `on_behalf_of` is not null, it is that user instead, provided that the common name is
// one of `frontends`. The holder of a certificate is in the group system:authenticated, too. Errors
// carry a Kubernetes Status: Unauthorized for a certificate without a name, Forbidden for naming
// another user without being a frontend, BadRequest for an empty name.
absl::StatusOr<Requester> RequesterOf(const CertificateSubject& subject,
                                      const std::vector<std::string>& frontends,
                                      const common::v1::Requester* on_behalf_of);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_REQUESTER_H_
