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

// Notes about a call, for its record. Used by one thread at a time.
class CallNotes {
 public:
  virtual ~CallNotes() = default;
  virtual void NoteDecision(bool allowed, std::string_view reason) = 0;
  // Notes that no decision could be had.
  virtual void NoteUndecided() = 0;
};

struct Requester {
  kube::UserInfo user;
  std::string frontend;              // the client that asks on the user's behalf; "" = none
  std::shared_ptr<CallNotes> notes;  // null: nothing is noted

  // A text for people: `"alice" through "steward-apiserver"`.
  std::string ToString() const;
};

// The user that a client names, not yet checked. The keys of `extra` are in their order.
kube::UserInfo UserNamed(const common::v1::Requester& message);

// The user for whom a verified certificate speaks: its common name with its organizations as
// groups, or, where `on_behalf_of` (may be null) is set, that user, if the common name is one of
// `frontends`. The holder of a certificate is in the group system:authenticated, too. Errors carry
// a Kubernetes Status: Unauthorized for a certificate without a name, Forbidden for naming another
// user without being a frontend, BadRequest for an empty name.
absl::StatusOr<Requester> RequesterOf(const CertificateSubject& subject,
                                      const std::vector<std::string>& frontends,
                                      const common::v1::Requester* on_behalf_of);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_REQUESTER_H_
