#include "controllers/rpc/bridge/bridge.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <utility>

#include "base/status/macros.h"
#include "base/tls/subject.h"
#include "base/trace/traceparent.h"
#include "controllers/rpc/bridge/call_record.h"
#include "kube/audit/audit_id.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

// Returns the first value of the header; "" if there is none.
std::string Metadata(const grpc::CallbackServerContext& context, const char* key) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(key);
  if (found == metadata.end()) return "";
  return std::string(found->second.data(), found->second.size());
}

absl::StatusOr<CertificateSubject> SubjectOf(const grpc::CallbackServerContext& context) {
  std::vector<grpc::string_ref> certificates;
  if (const auto auth = context.auth_context(); auth != nullptr) {
    certificates = auth->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  }
  if (certificates.empty()) return kube::ToStatus(kube::Unauthorized());
  return SubjectOfPem({certificates[0].data(), certificates[0].size()});
}

}  // namespace

Bridge::Bridge(boost::asio::any_io_executor executor, BridgeDeps deps, BridgeOptions options)
    : executor_(executor),
      deps_(deps),
      options_(std::move(options)),
      metrics_(deps.registry),
      call_places_(options_.max_calls, "calls at a time"),
      watch_places_(options_.max_watches, "watches"),
      calls_(executor),
      watches_(executor) {}

Bridge::~Bridge() = default;

VoidTask Bridge::EndWatches() { co_await watches_.Stop(); }

VoidTask Bridge::Stop() {
  co_await watches_.Stop();
  co_await calls_.Stop();
}

std::unique_ptr<Call> Bridge::Begin(const grpc::CallbackServerContext& context, std::string service,
                                    std::string method, const MethodTarget& target,
                                    Call::Finish finish) {
  CallOrigin origin;
  origin.service = service;
  origin.method = method;
  origin.peer = context.peer();
  origin.user_agent = Metadata(context, "user-agent");
  std::string audit_id = Metadata(context, "audit-id");
  if (audit::IsUsableAuditId(audit_id)) origin.audit_id = std::move(audit_id);
  origin.traceparent = ValidTraceparent(Metadata(context, "traceparent"));
  auto record = std::make_shared<CallRecord>(deps_.audit_log, deps_.clock, Random::Real(),
                                             std::move(origin), target);
  return std::make_unique<Call>(metrics_, std::move(service), std::move(method), std::move(record),
                                std::move(finish));
}

absl::StatusOr<Requester> Bridge::Admit(Kind kind, const grpc::CallbackServerContext& context,
                                        const common::v1::Requester* on_behalf_of, Call& call) {
  ASSIGN_OR_RETURN(const CertificateSubject subject, SubjectOf(context));
  ASSIGN_OR_RETURN(const Requester holder, RequesterOf(subject, options_.frontends, nullptr));
  call.record()->NoteCaller(holder, on_behalf_of);
  ASSIGN_OR_RETURN(Requester requester, RequesterOf(subject, options_.frontends, on_behalf_of));
  requester.notes = call.record();
  ASSIGN_OR_RETURN(
      kube::Admission::Place place,
      (kind == Kind::kWatch ? watch_places_ : call_places_).Enter(requester.user.name));
  call.Hold(std::move(place));
  return requester;
}

}  // namespace steward::rpc
