#include "apiserver/filters/audit/audit.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/filters/audit/source_addresses.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/request/request_info.h"
#include "base/json/json_text.h"
#include "base/yaml/yaml.h"
#include "kube/audit/event.h"
#include "kube/audit/policy.h"
#include "kube/audit/response_status.h"

namespace steward::filters {
namespace json = boost::json;
namespace {

constexpr size_t kMaxRequestObject = 64 << 10;
// The limit for requests that are not authenticated.
constexpr size_t kMaxStrangersUri = 2 << 10;
constexpr char kClosedEarly[] =
    R"({"metadata":{},"status":"Success","message":"Connection closed early","code":200})";

std::optional<audit::ObjectReference> ObjectOf(const http::RequestInfo& info) {
  if (!info.is_resource) return std::nullopt;
  return audit::ObjectReference{.resource = info.resource,
                                .ns = info.ns,
                                .name = info.name,
                                .group = info.group,
                                .version = info.version,
                                .subresource = info.subresource};
}

// The body as one line of JSON; "" when it is neither JSON nor YAML.
std::string BodyOf(const http::Request& request, bool omit_managed_fields) {
  const std::string* type = request.headers.Find("Content-Type");
  const bool yaml = type != nullptr && type->find("yaml") != std::string::npos;
  absl::StatusOr<json::value> body = yaml ? ParseYaml(request.body) : ParseJson(request.body);
  if (!body.ok()) return "";
  if (json::object* object = body->if_object(); object != nullptr && omit_managed_fields) {
    json::value* metadata = object->if_contains("metadata");
    if (metadata != nullptr && metadata->is_object()) {
      metadata->get_object().stable_erase("managedFields");
    }
  }
  return Serialize(*body);
}

// The record of one request. Its destructor writes the last event.
class Record final : public http::AuditNotes {
 public:
  Record(audit::Log& log, Clock& clock, http::Request& request, const http::ResponseWriter& writer)
      : log_(log), clock_(clock), request_(request), writer_(writer), received_(clock.Now()) {
    request_.audit = this;
  }
  ~Record() override {
    request_.audit = nullptr;
    if (!known_) return;
    // If the client leaves a watch before it begins, the watch counts as begun, as in the
    // kube-apiserver.
    const bool silent = writer_.status() == 0;
    if (silent && IsLongRunning(request_.info)) Write(audit::Stage::kResponseStarted);
    Write(audit::Stage::kResponseComplete);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  void NoteUser() override {
    known_ = true;
    Decide();
    Write(audit::Stage::kRequestReceived);
  }
  void NoteDecision(bool allowed, std::string_view reason) override {
    annotations_.emplace_back(audit::kDecisionAnnotation, allowed ? "allow" : "forbid");
    annotations_.emplace_back(audit::kReasonAnnotation, std::string(reason));
  }
  void NoteUndecided() override {
    annotations_.emplace_back(audit::kReasonAnnotation, "internal error");
  }
  void NoteStatus(std::string_view json) override { status_ = json; }

  // Called when the head was sent.
  void NoteHead() {
    if (!known_) Decide();
    if (!known_ || IsLongRunning(request_.info)) Write(audit::Stage::kResponseStarted);
  }

 private:
  void Decide() {
    const std::optional<audit::ObjectReference> object = ObjectOf(request_.info);
    decision_ = log_.Decide({.user = known_ ? &request_.user : nullptr,
                             .verb = request_.info.verb,
                             .object = object ? &*object : nullptr,
                             .path = request_.path});
  }

  // The body is read after authorization, and does not change until the request is over.
  void KeepBody() {
    if (decision_->level != audit::Level::kRequest || request_.body.empty()) return;
    if (request_.body.size() <= kMaxRequestObject) {
      body_ = BodyOf(request_, decision_->omit_managed_fields);
    }
    if (body_.empty()) annotations_.emplace_back(audit::kTruncatedAnnotation, "true");
  }

  std::string ResponseStatus() const {
    if (writer_.status() == 0) return kClosedEarly;
    if (status_.empty()) return audit::ResponseStatusOf(writer_.status());
    return audit::ResponseStatusOf(status_, writer_.status());
  }

  void Write(audit::Stage stage) {
    if (decision_->level == audit::Level::kNone || decision_->Omits(stage)) return;
    if (stage == audit::Stage::kResponseComplete) KeepBody();
    audit::Event event;
    event.level = decision_->level;
    event.stage = stage;
    event.audit_id = request_.audit_id;
    event.request_uri = request_.target;
    if (!known_ || FlowOf(request_).stranger) event.max_request_uri = kMaxStrangersUri;
    event.verb = request_.info.verb;
    if (known_) event.user = request_.user;
    event.source_ips = SourceAddresses(request_);
    if (const std::string* agent = request_.headers.Find("User-Agent")) event.user_agent = *agent;
    event.object = ObjectOf(request_.info);
    event.received = received_;
    event.at = received_;
    if (stage != audit::Stage::kRequestReceived) {
      event.response_status = ResponseStatus();
      event.request_object = body_;
      event.annotations = annotations_;
      event.at = clock_.Now();
    }
    log_.Write(event);
  }

  audit::Log& log_;
  Clock& clock_;
  http::Request& request_;
  const http::ResponseWriter& writer_;
  const absl::Time received_;
  bool known_ = false;  // the user is known
  std::optional<audit::PolicyDecision> decision_;
  std::vector<std::pair<std::string_view, std::string>> annotations_;
  std::string status_;
  std::string body_;
};

// Notifies a record when the head is sent.
class HeadNoter : public http::ResponseWriter {
 public:
  HeadNoter(http::ResponseWriter& inner, Record& record) : inner_(inner), record_(record) {}

  StatusTask WriteHead(http::ResponseHead head) override {
    const absl::Status written = co_await inner_.WriteHead(std::move(head));
    if (inner_.status() != 0) record_.NoteHead();
    co_return written;
  }
  StatusTask Write(std::vector<http::Segment> segments) override {
    return inner_.Write(std::move(segments));
  }
  StatusTask Finish() override { return inner_.Finish(); }
  void Settled() override { inner_.Settled(); }
  int status() const override { return inner_.status(); }
  uint64_t bytes_written() const override { return inner_.bytes_written(); }

 private:
  http::ResponseWriter& inner_;
  Record& record_;
};

VoidTask Serve(const http::Handler& next, audit::Log& log, Clock& clock, http::Request& request,
               http::ResponseWriter& writer) {
  Record record(log, clock, request, writer);
  HeadNoter noter(writer, record);
  co_await next(request, noter);
}

}  // namespace

http::Handler WithAudit(http::Handler next, audit::Log& log, Clock& clock) {
  return
      [next = std::move(next), &log, &clock](http::Request& request, http::ResponseWriter& writer) {
        return Serve(next, log, clock, request, writer);
      };
}

http::Handler WithAuditedUser(http::Handler next) {
  return [next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    request.audit->NoteUser();
    return next(request, writer);
  };
}

}  // namespace steward::filters
