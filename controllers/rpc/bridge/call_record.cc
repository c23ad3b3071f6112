#include "controllers/rpc/bridge/call_record.h"

#include <array>
#include <cstdint>

#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/access.h"
#include "kube/audit/response_status.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/meta/uuid.h"

namespace steward::rpc {
namespace {

constexpr int kLevel = 4;
constexpr size_t kMaxName = 253;
constexpr size_t kMaxOnBehalfOf = 64 << 10;
constexpr int kOk = 200;

std::string NewAuditId(Random& random) {
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Uniform() * 256);
  return kube::UuidV4(bytes);
}

audit::ObjectReference ObjectOf(const MethodTarget& target) {
  const AccessAttributes& access = target.access;
  return {.resource = access.gvr.resource,
          .ns = access.ns.substr(0, kMaxName),
          .name = access.name.substr(0, kMaxName),
          .uid = target.uid.substr(0, kMaxName),
          .group = access.gvr.group,
          .version = access.gvr.version,
          .subresource = access.subresource};
}

// Returns the address from "ipv4:127.0.0.1:1234" or "ipv6:%5B::1%5D:1234".
std::string AddressOf(std::string_view peer) {
  const size_t scheme = peer.find(':');
  if (scheme == std::string_view::npos) return "";
  std::string_view address = peer.substr(scheme + 1);
  address = address.substr(0, address.rfind(':'));
  for (const std::string_view open : {"%5B", "["}) {
    if (address.starts_with(open)) address.remove_prefix(open.size());
  }
  for (const std::string_view close : {"%5D", "]"}) {
    if (address.ends_with(close)) address.remove_suffix(close.size());
  }
  return std::string(address);
}

}  // namespace

CallRecord::CallRecord(audit::Log* log, Clock& clock, Random& random, CallOrigin origin,
                       const MethodTarget& target)
    : log_(log),
      clock_(clock),
      origin_(std::move(origin)),
      verb_(target.access.verb),
      object_(ObjectOf(target)),
      audit_id_(origin_.audit_id.empty() ? NewAuditId(random) : origin_.audit_id),
      received_(clock.Now()) {}

void CallRecord::NoteCaller(const Requester& holder, const common::v1::Requester* on_behalf_of) {
  user_ = holder.user;
  if (on_behalf_of != nullptr && on_behalf_of->ByteSizeLong() <= kMaxOnBehalfOf) {
    impersonated_ = UserNamed(*on_behalf_of);
  } else if (on_behalf_of != nullptr) {
    impersonated_ = kube::UserInfo{.name = on_behalf_of->user().substr(0, kMaxName)};
    annotations_.emplace_back(audit::kTruncatedAnnotation, "true");
  }
  Write(audit::Stage::kRequestReceived);
}

void CallRecord::NoteDecision(bool allowed, std::string_view reason) {
  annotations_.emplace_back(audit::kDecisionAnnotation, allowed ? "allow" : "forbid");
  annotations_.emplace_back(audit::kReasonAnnotation, std::string(reason));
}

void CallRecord::NoteUndecided() {
  annotations_.emplace_back(audit::kReasonAnnotation, "internal error");
}

void CallRecord::NoteStarted() {
  if (started_) return;
  started_ = true;
  if (response_status_.empty()) response_status_ = audit::ResponseStatusOf(kOk);
  Write(audit::Stage::kResponseStarted);
}

void CallRecord::End(const absl::Status& status) {
  int code = kOk;
  if (status.ok()) {
    response_status_ = audit::ResponseStatusOf(code);
  } else {
    const kube::Status error = kube::FromStatus(status);
    code = error.code;
    response_status_ = audit::ResponseStatusOf(kube::ToJson(error), code);
  }
  WriteLine(code);
  // The events equal those of the API server for a request whose user is unknown.
  if (!user_.has_value()) {
    Write(audit::Stage::kResponseStarted);
    return;
  }
  if (verb_ == "watch") NoteStarted();
  Write(audit::Stage::kResponseComplete);
}

void CallRecord::WriteLine(int code) const {
  log::Verbose(kLevel, "gRPC",
               {{"service", origin_.service},
                {"method", origin_.method},
                {"namespace", object_.ns},
                {"name", object_.name},
                {"latency", absl::FormatDuration(clock_.Now() - received_)},
                {"user", user_ ? user_->name : std::string()},
                {"onBehalfOf", impersonated_ ? impersonated_->name : std::string()},
                {"audit-ID", audit_id_},
                {"traceparent", origin_.traceparent},
                {"srcIP", origin_.peer},
                {"resp", code}});
}

void CallRecord::Write(audit::Stage stage) {
  if (log_ == nullptr) return;
  if (!decision_.has_value()) {
    decision_ =
        log_->Decide({.user = user_ ? &*user_ : nullptr, .verb = verb_, .object = &object_});
  }
  if (decision_->level == audit::Level::kNone || decision_->Omits(stage)) return;
  audit::Event event;
  event.level = decision_->level;
  event.stage = stage;
  event.audit_id = audit_id_;
  event.request_uri = StrCat("/", origin_.service, "/", origin_.method);
  event.verb = verb_;
  event.user = user_;
  event.impersonated = impersonated_;
  if (std::string address = AddressOf(origin_.peer); !address.empty()) {
    event.source_ips.push_back(std::move(address));
  }
  event.user_agent = origin_.user_agent;
  event.object = object_;
  event.received = received_;
  event.at = received_;
  if (stage != audit::Stage::kRequestReceived) {
    event.response_status = response_status_;
    event.annotations = annotations_;
    event.at = clock_.Now();
  }
  log_->Write(event);
}

}  // namespace steward::rpc
