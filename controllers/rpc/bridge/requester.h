// The user whom a call is for, as certificates and frontends name it. Plain values.
#ifndef CONTROLLERS_RPC_BRIDGE_REQUESTER_H_
#define CONTROLLERS_RPC_BRIDGE_REQUESTER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tls/subject.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::rpc {

// What is noted about a call, for those who look later. Used by one thread at a time.
class CallNotes {
 public:
  virtual ~CallNotes() = default;
  virtual void NoteDecision(bool allowed, std::string_view reason) = 0;
  // Nobody could decide.
  virtual void NoteUndecided() = 0;
};

// As a SubjectAccessReview names a user.
struct Requester {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  std::string frontend;              // who asks on the user's behalf; "" = nobody else
  std::shared_ptr<CallNotes> notes;  // null: nobody looks

  // For people: `"alice" through "steward-apiserver"`.
  std::string ToString() const;
};

// The user that a client names, whether it may or not.
Requester RequesterNamed(const common::v1::Requester& message);

// Whom a verified certificate speaks for: its common name with its organizations as groups, or,
// where `on_behalf_of` (may be null) is set, that one, if the common name is one of `frontends`.
// The holder of a certificate is in the group system:authenticated, too. Errors carry a Kubernetes
// Status: Unauthorized for a certificate without a name, Forbidden for naming somebody without
// being a frontend, BadRequest for naming nobody.
absl::StatusOr<Requester> RequesterOf(const CertificateSubject& subject,
                                      const std::vector<std::string>& frontends,
                                      const common::v1::Requester* on_behalf_of);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_REQUESTER_H_
