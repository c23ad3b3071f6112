// The record of a call: who called what, and what came of it, for the audit log and for a line in
// the log.
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
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::rpc {

// What gRPC knows of a call.
struct CallOrigin {
  std::string service;  // "steward.cleanup.v1.CleanupService"
  std::string method;   // "Get"
  std::string peer;     // as gRPC writes it: "ipv4:127.0.0.1:1234"
  std::string user_agent;
  // As the client says; "" = it says nothing, or nothing usable.
  std::string audit_id;
  std::string traceparent;
};

// Writes events of audit.k8s.io/v1 as the API server does for its requests: the certificate's
// holder is the user, whom it speaks for is the impersonated user. No body is recorded. Used by one
// thread at a time.
class CallRecord : public CallNotes {
 public:
  // `log` may be null; it and `clock` outlive this object. `target` was not checked yet: its names
  // are cut where no name is so long.
  CallRecord(audit::Log* log, Clock& clock, Random& random, CallOrigin origin,
             const MethodTarget& target);

  // Once, at most: the certificate is good. `on_behalf_of` may be null, and is not checked yet.
  void NoteCaller(const Requester& holder, const common::v1::Requester* on_behalf_of);
  void NoteDecision(bool allowed, std::string_view reason) override;
  void NoteUndecided() override;
  // A watch has begun. Idempotent.
  void NoteStarted();
  // Once, as the last.
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
  std::optional<audit::User> user_;
  std::optional<audit::User> impersonated_;
  std::optional<audit::PolicyDecision> decision_;
  std::vector<std::pair<std::string_view, std::string>> annotations_;
  std::string response_status_;
  bool started_ = false;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_CALL_RECORD_H_
