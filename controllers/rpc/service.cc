#include "controllers/rpc/service.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/support/server_callback.h>
#include <prometheus/registry.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/broadcast.h"
#include "base/clock/time_limit.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"
#include "base/tls/subject.h"
#include "base/trace/traceparent.h"
#include "kube/audit/audit_id.h"
#include "kube/grpc/status.h"
#include "kube/meta/status.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::controllers {
namespace asio = boost::asio;
namespace {

absl::Status Stopping() {
  return kube::ToStatus(
      kube::ServiceUnavailable("this replica is stopping, please ask another", 1));
}

// The first value, "" when there is none.
std::string Metadata(const grpc::CallbackServerContext& context, const char* key) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(key);
  if (found == metadata.end()) return "";
  return std::string(found->second.data(), found->second.size());
}

// The way from a client's cancellation to the task. On the executor, except for Ask.
class Cancellation : public std::enable_shared_from_this<Cancellation> {
 public:
  explicit Cancellation(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  void Begun(TaskGroup::Ref task) {
    task_ = std::move(task);
    if (asked_) task_.Cancel();
  }
  // On any thread.
  void Ask() {
    asio::post(executor_, [self = shared_from_this()] {
      self->asked_ = true;
      self->task_.Cancel();
    });
  }

 private:
  const asio::any_io_executor executor_;
  bool asked_ = false;
  TaskGroup::Ref task_;
};

}  // namespace

// Ends one call, exactly once, at the latest when it is destroyed.
class CleanupService::Call {
 public:
  using Finish = std::function<void(const grpc::Status&)>;

  Call(CleanupService& service, const char* method, std::shared_ptr<CallRecord> record,
       std::atomic<int>& count, Finish finish)
      : service_(service),
        method_(method),
        record_(std::move(record)),
        count_(count),
        finish_(std::move(finish)) {}
  ~Call() {
    if (finish_) End(Stopping());
    count_.fetch_sub(1);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  CallRecord& record() { return *record_; }
  void End(const absl::Status& status) {
    const grpc::Status sent = service_.NoteEnd(method_, *record_, status);
    std::exchange(finish_, nullptr)(sent);
  }

 private:
  CleanupService& service_;
  const char* const method_;
  const std::shared_ptr<CallRecord> record_;
  std::atomic<int>& count_;
  Finish finish_;
};

class CleanupService::UnaryReactor final : public grpc::ServerUnaryReactor {
 public:
  explicit UnaryReactor(std::shared_ptr<Cancellation> cancellation)
      : cancellation_(std::move(cancellation)) {}

 private:
  void OnCancel() override { cancellation_->Ask(); }
  void OnDone() override { delete this; }

  const std::shared_ptr<Cancellation> cancellation_;
};

class CleanupService::WatchReactor final
    : public grpc::ServerWriteReactor<cleanup::v1::WatchResponse> {
 public:
  explicit WatchReactor(std::shared_ptr<Cancellation> cancellation)
      : cancellation_(std::move(cancellation)) {}

  // One at a time, on the executor. REQUIRES: End was not called.
  StatusTask Write(cleanup::v1::WatchResponse message) {
    const Broadcast::Ticket ticket = written_.Now();
    {
      MutexLock lock(&mutex_);
      message_ = std::move(message);
      writing_ = true;
    }
    StartWrite(&message_);
    co_await written_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
    MutexLock lock(&mutex_);
    if (ok_) co_return absl::OkStatus();
    co_return absl::CancelledError("the client is gone");
  }

  // On any thread, once. A message under way goes first.
  void End(const grpc::Status& status) {
    {
      MutexLock lock(&mutex_);
      if (writing_) {
        end_ = status;
        return;
      }
    }
    Finish(status);
  }

 private:
  void OnWriteDone(bool ok) override {
    std::optional<grpc::Status> end;
    {
      MutexLock lock(&mutex_);
      writing_ = false;
      ok_ = ok;
      end = end_;
    }
    written_.Notify();
    if (end.has_value()) Finish(*end);
  }
  void OnCancel() override { cancellation_->Ask(); }
  void OnDone() override { delete this; }

  const std::shared_ptr<Cancellation> cancellation_;
  Broadcast written_;
  Mutex mutex_;
  cleanup::v1::WatchResponse message_;  // gRPC's while writing_
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ok_ ABSL_GUARDED_BY(mutex_) = true;
  std::optional<grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
};

class CleanupService::GrpcSink final : public WatchSink {
 public:
  GrpcSink(WatchReactor& reactor, CallRecord& record) : reactor_(reactor), record_(record) {}
  StatusTask Write(cleanup::v1::WatchResponse message) override {
    record_.NoteStarted();
    return reactor_.Write(std::move(message));
  }

 private:
  WatchReactor& reactor_;
  CallRecord& record_;
};

CleanupService::CleanupService(asio::any_io_executor executor, CleanupCalls& calls, Clock& clock,
                               prometheus::Registry& registry, audit::Log* audit_log,
                               CleanupServiceOptions options)
    : executor_(executor),
      calls_(calls),
      clock_(clock),
      audit_log_(audit_log),
      options_(std::move(options)),
      ended_(prometheus::BuildCounter()
                 .Name("steward_grpc_calls_total")
                 .Help("Calls of gRPC services that ended, by method and code.")
                 .Register(registry)),
      watching_(prometheus::BuildGauge()
                    .Name("steward_grpc_watches")
                    .Help("Watches of gRPC clients that run.")
                    .Register(registry)
                    .Add({})),
      tasks_(executor),
      watches_(executor) {}

CleanupService::~CleanupService() = default;

grpc::Status CleanupService::NoteEnd(const std::string& method, CallRecord& record,
                                     const absl::Status& status) {
  record.End(status);
  const grpc::Status sent = kube::ToGrpc(status);
  const auto code = static_cast<absl::StatusCode>(sent.error_code());
  ended_.Add({{"method", method}, {"code", absl::StatusCodeToString(code)}}).Increment();
  return sent;
}

absl::Status CleanupService::Admit(std::atomic<int>& count, int limit, const char* what) {
  if (count.fetch_add(1) < limit) return absl::OkStatus();
  count.fetch_sub(1);
  return kube::ToStatus(
      kube::TooManyRequests(StrCat("too many ", what, ", please try again later"), 1));
}

template <typename Request>
std::shared_ptr<CallRecord> CleanupService::RecordOf(const char* name,
                                                     const grpc::CallbackServerContext& context,
                                                     const Request& request) const {
  CallOrigin origin;
  origin.method = name;
  origin.peer = context.peer();
  origin.user_agent = Metadata(context, "user-agent");
  std::string audit_id = Metadata(context, "audit-id");
  if (audit::IsUsableAuditId(audit_id)) origin.audit_id = std::move(audit_id);
  origin.traceparent = ValidTraceparent(Metadata(context, "traceparent"));
  return std::make_shared<CallRecord>(audit_log_, clock_, Random::Real(), std::move(origin),
                                      TargetOf(request));
}

template <typename Request>
absl::StatusOr<Requester> CleanupService::RequesterFor(
    const grpc::CallbackServerContext& context, const Request& request,
    const std::shared_ptr<CallRecord>& record) const {
  std::vector<grpc::string_ref> certificates;
  if (const auto auth = context.auth_context(); auth != nullptr) {
    certificates = auth->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  }
  if (certificates.empty()) return kube::ToStatus(kube::Unauthorized());
  ASSIGN_OR_RETURN(const CertificateSubject subject,
                   SubjectOfPem({certificates[0].data(), certificates[0].size()}));
  ASSIGN_OR_RETURN(const Requester holder, RequesterOf(subject, options_.frontends, nullptr));
  const common::v1::Requester* named =
      request.has_on_behalf_of() ? &request.on_behalf_of() : nullptr;
  record->NoteCaller(holder, named);
  ASSIGN_OR_RETURN(Requester requester, RequesterOf(subject, options_.frontends, named));
  requester.notes = record;
  return requester;
}

template <typename Response>
VoidTask CleanupService::RunUnary(std::unique_ptr<Call> call, Task<Response> work,
                                  Response* response) {
  absl::StatusOr<Response> result = co_await WithTimeout<absl::StatusOr<Response>>(
      clock_, options_.call_timeout, "the call", std::move(work));
  if (result.ok()) *response = *std::move(result);
  call->End(result.status());
}

template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* CleanupService::Unary(const char* name,
                                                grpc::CallbackServerContext* context,
                                                const Request* request, Response* response,
                                                Work work) {
  std::shared_ptr<CallRecord> record = RecordOf(name, *context, *request);
  absl::StatusOr<Requester> requester = RequesterFor(*context, *request, record);
  absl::Status status = requester.status();
  if (status.ok()) status = Admit(running_, options_.max_calls, "calls at a time");
  if (!status.ok()) {
    const grpc::Status sent = NoteEnd(name, *record, status);
    grpc::ServerUnaryReactor* refusal = context->DefaultReactor();
    refusal->Finish(sent);
    return refusal;
  }
  auto cancellation = std::make_shared<Cancellation>(executor_);
  auto* reactor = new UnaryReactor(cancellation);
  auto call = std::make_unique<Call>(*this, name, std::move(record), running_,
                                     [reactor](const grpc::Status& end) { reactor->Finish(end); });
  asio::post(executor_, [this, name, response, work, request = *request,
                         requester = *std::move(requester), call = std::move(call),
                         cancellation = std::move(cancellation)]() mutable {
    Task<Response> task = work(calls_, std::move(requester), std::move(request));
    cancellation->Begun(tasks_.Spawn(name, RunUnary(std::move(call), std::move(task), response)));
  });
  return reactor;
}

VoidTask CleanupService::RunWatch(std::unique_ptr<Call> call, WatchReactor* reactor,
                                  Requester requester, cleanup::v1::WatchRequest request) {
  GrpcSink sink(*reactor, call->record());
  const absl::Status status = co_await calls_.Watch(std::move(requester), std::move(request), sink);
  call->End(status);
}

grpc::ServerWriteReactor<cleanup::v1::WatchResponse>* CleanupService::Watch(
    grpc::CallbackServerContext* context, const cleanup::v1::WatchRequest* request) {
  auto cancellation = std::make_shared<Cancellation>(executor_);
  auto* reactor = new WatchReactor(cancellation);
  std::shared_ptr<CallRecord> record = RecordOf("Watch", *context, *request);
  absl::StatusOr<Requester> requester = RequesterFor(*context, *request, record);
  absl::Status status = requester.status();
  if (status.ok()) status = Admit(watchers_, options_.max_watches, "watches");
  if (!status.ok()) {
    reactor->End(NoteEnd("Watch", *record, status));
    return reactor;
  }
  watching_.Increment();
  auto call = std::make_unique<Call>(*this, "Watch", std::move(record), watchers_,
                                     [this, reactor](const grpc::Status& end) {
                                       watching_.Decrement();
                                       reactor->End(end);
                                     });
  asio::post(executor_, [this, reactor, request = *request, requester = *std::move(requester),
                         call = std::move(call), cancellation = std::move(cancellation)]() mutable {
    cancellation->Begun(watches_.Spawn(
        "Watch", RunWatch(std::move(call), reactor, std::move(requester), std::move(request))));
  });
  return reactor;
}

VoidTask CleanupService::EndWatches() { co_await watches_.Stop(); }

VoidTask CleanupService::Stop() {
  co_await watches_.Stop();
  co_await tasks_.Stop();
}

grpc::ServerUnaryReactor* CleanupService::Get(grpc::CallbackServerContext* context,
                                              const cleanup::v1::GetRequest* request,
                                              cleanup::v1::GetResponse* response) {
  return Unary("Get", context, request, response,
               [](CleanupCalls& calls, Requester requester, cleanup::v1::GetRequest asked) {
                 return calls.Get(std::move(requester), std::move(asked));
               });
}
grpc::ServerUnaryReactor* CleanupService::List(grpc::CallbackServerContext* context,
                                               const cleanup::v1::ListRequest* request,
                                               cleanup::v1::ListResponse* response) {
  return Unary("List", context, request, response,
               [](CleanupCalls& calls, Requester requester, cleanup::v1::ListRequest asked) {
                 return calls.List(std::move(requester), std::move(asked));
               });
}
grpc::ServerUnaryReactor* CleanupService::ListPending(
    grpc::CallbackServerContext* context, const cleanup::v1::ListPendingRequest* request,
    cleanup::v1::ListPendingResponse* response) {
  return Unary("ListPending", context, request, response,
               [](CleanupCalls& calls, Requester requester, cleanup::v1::ListPendingRequest asked) {
                 return calls.ListPending(std::move(requester), std::move(asked));
               });
}
grpc::ServerUnaryReactor* CleanupService::Preview(grpc::CallbackServerContext* context,
                                                  const cleanup::v1::PreviewRequest* request,
                                                  cleanup::v1::PreviewResponse* response) {
  return Unary("Preview", context, request, response,
               [](CleanupCalls& calls, Requester requester, cleanup::v1::PreviewRequest asked) {
                 return calls.Preview(std::move(requester), std::move(asked));
               });
}
grpc::ServerUnaryReactor* CleanupService::Abort(grpc::CallbackServerContext* context,
                                                const cleanup::v1::AbortRequest* request,
                                                cleanup::v1::AbortResponse* response) {
  return Unary("Abort", context, request, response,
               [](CleanupCalls& calls, Requester requester, cleanup::v1::AbortRequest asked) {
                 return calls.Abort(std::move(requester), std::move(asked));
               });
}

}  // namespace steward::controllers
