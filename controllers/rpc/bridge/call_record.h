// Records a call, its requester and its result, in the audit log and in a line of the log. Used by
// one thread at a time.
#ifndef CONTROLLERS_RPC_BRIDGE_CALL_RECORD_H_
#define CONTROLLERS_RPC_BRIDGE_CALL_RECORD_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/audit/event.h"
#include "kube/audit/log.h"
#include "kube/audit/policy.h"
#include "kube/meta/user_info.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::rpc {

// The facts about a call that gRPC gives.
struct CallOrigin {
  std::string service;  // "steward.cleanup.v1.CleanupService"
  std::string method;   // "Get"
  std::string peer;     // as gRPC writes it: "ipv4:127.0.0.1:1234"
  std::string user_agent;
  // Values that the client sent; "" = none, or not usable.
  std::string audit_id;
  std::string traceparent;
};

// Writes events of audit.k8s.io/v1 as the API server does for its requests: the certificate's
// holder is the user, and the user on whose behalf it asks is the impersonated one. No body is
// recorded.
class CallRecord : public CallNotes {
 public:
  // `log` may be null; it and `clock` outlive this object. `target` has not been checked yet: names
  // longer than any valid one are cut.
  CallRecord(audit::Log* log, Clock& clock, Random& random, CallOrigin origin,
             const MethodTarget& target);

  // Called at most once, when the certificate is valid. `on_behalf_of` may be null, and has not
  // been checked yet.
  void NoteCaller(const Requester& holder, const common::v1::Requester* on_behalf_of);
  void NoteDecision(bool allowed, std::string_view reason) override;
  void NoteUndecided() override;
  // Records that a watch has begun. Idempotent.
  void NoteStarted();
  // Called once, after all other members.
  void End(const absl::Status& status);

 private:
  void Write(audit::Stage stage);
  void WriteLine(int code) const;

  audit::Log* const log_;
  Clock& clock_;
  const CallOrigin origin_;
  const std::string verb_;
  const audit::ObjectReference object_;
  const std::string audit_id_;
  const absl::Time received_;
  std::optional<kube::UserInfo> user_;
  std::optional<kube::UserInfo> impersonated_;
  std::optional<audit::PolicyDecision> decision_;
  std::vector<std::pair<std::string_view, std::string>> annotations_;
  std::string response_status_;
  bool started_ = false;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_CALL_RECORD_H_
