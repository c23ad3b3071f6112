#include "apiserver/upstream/controllers_client.h"

#include <grpc/impl/codegen/grpc_types.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/stop_signal.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate.h"
#include "base/tls/files.h"
#include "base/tls/server_context.h"
#include "base/tls/subject.h"
#include "kube/grpc/status.h"
#include "kube/meta/status.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::upstream {
namespace {

constexpr int kMaxMessageBytes = 4 << 20;
constexpr int kMaxPage = 1000;
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr int kFirstReconnectMs = 250;
constexpr int kMaxReconnectMs = 5'000;

using Stub = cleanup::v1::CleanupService::Stub;

// That is what a client can wait for, and the likeliest reason to be told.
absl::Status FilesAreThere(const ControllersClientOptions& options) {
  for (const std::string& file : {options.ca_file, options.cert_file, options.key_file}) {
    RETURN_IF_ERROR(ReadSmallFile(file).status());
  }
  return absl::OkStatus();
}

absl::Status CheckFiles(const ControllersClientOptions& options) {
  PemKeyPair pair;
  ASSIGN_OR_RETURN(pair.cert_pem, ReadSmallFile(options.cert_file));
  ASSIGN_OR_RETURN(pair.key_pem, ReadSmallFile(options.key_file));
  if (const absl::Status usable = MakeServerContext(pair, {}).status(); !usable.ok()) {
    return absl::InvalidArgumentError(StrCat(options.cert_file, ": ", ToStd(usable.message())));
  }
  ASSIGN_OR_RETURN(const std::string authorities, ReadSmallFile(options.ca_file));
  if (const absl::Status usable = SubjectOfPem(authorities).status(); !usable.ok()) {
    return absl::InvalidArgumentError(StrCat(options.ca_file, ": ", ToStd(usable.message())));
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const ControllersClientOptions& options) {
  namespace tls = grpc::experimental;
  tls::TlsChannelCredentialsOptions credentials;
  credentials.set_certificate_provider(std::make_shared<tls::FileWatcherCertificateProvider>(
      options.key_file, options.cert_file, options.ca_file, options.reload_seconds));
  credentials.watch_root_certs();
  credentials.watch_identity_key_cert_pairs();
  return tls::TlsCredentials(credentials);
}

std::vector<std::unique_ptr<Stub>> Connect(const ControllersClientOptions& options) {
  grpc::ChannelArguments arguments;
  // Connections of its own for each stub, to every address of the name.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetLoadBalancingPolicyName("round_robin");
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  // The controllers are in the same cluster, whatever the environment says about the world.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // What is tried again is decided here.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  std::vector<std::unique_ptr<Stub>> stubs;
  for (size_t i = 0; i < std::max<size_t>(options.connections, 1); ++i) {
    stubs.push_back(cleanup::v1::CleanupService::NewStub(
        grpc::CreateCustomChannel(options.address, Credentials(options), arguments)));
  }
  return stubs;
}

// What is asked, and the request that it is asked for.
struct Question {
  cleanup::v1::ListPendingRequest request;
  std::string audit_id;
  std::string traceparent;
};

// Shared with gRPC's thread, which writes status and response before `ended` is set.
struct Call {
  grpc::ClientContext context;
  cleanup::v1::ListPendingRequest request;
  cleanup::v1::ListPendingResponse response;
  grpc::Status status;
  StopSignal ended;
};

// Nobody waits for the answer any more.
class CancelAtEnd {
 public:
  explicit CancelAtEnd(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  ~CancelAtEnd() { call_->context.TryCancel(); }
  CancelAtEnd(const CancelAtEnd&) = delete;
  CancelAtEnd& operator=(const CancelAtEnd&) = delete;

 private:
  const std::shared_ptr<Call> call_;
};

Task<cleanup::v1::ListPendingResponse> CallOnce(Stub& stub, const Question& question,
                                                absl::Duration timeout) {
  auto call = std::make_shared<Call>();
  call->request = question.request;
  if (!question.audit_id.empty()) call->context.AddMetadata("audit-id", question.audit_id);
  if (!question.traceparent.empty()) {
    call->context.AddMetadata("traceparent", question.traceparent);
  }
  call->context.set_deadline(std::chrono::system_clock::now() +
                             absl::ToChronoMilliseconds(timeout));
  const CancelAtEnd cancel(call);
  stub.async()->ListPending(&call->context, &call->request, &call->response,
                            [call](grpc::Status status) {
                              call->status = std::move(status);
                              call->ended.Set();
                            });
  co_await call->ended.Wait();
  if (!call->status.ok()) co_return kube::FromGrpc(call->status);
  co_return std::move(call->response);
}

cleanup::v1::ListPendingRequest RequestFor(Asker asker, kube::NamespacedName csv, int64_t limit,
                                           std::string continue_token) {
  cleanup::v1::ListPendingRequest request;
  common::v1::Requester& requester = *request.mutable_on_behalf_of();
  requester.set_user(std::move(asker.user));
  requester.set_uid(std::move(asker.uid));
  for (std::string& group : asker.groups) requester.add_groups(std::move(group));
  for (auto& [key, values] : asker.extra) {
    common::v1::Requester::Values& list = (*requester.mutable_extra())[key];
    for (std::string& value : values) list.add_values(std::move(value));
  }
  request.set_namespace_(std::move(csv.ns));
  request.set_name(std::move(csv.name));
  request.set_page_size(static_cast<int32_t>(std::clamp<int64_t>(limit, 0, kMaxPage)));
  request.set_page_token(std::move(continue_token));
  return request;
}

PendingPage PageOf(cleanup::v1::ListPendingResponse response) {
  PendingPage page;
  page.operands.reserve(static_cast<size_t>(response.operands_size()));
  for (cleanup::v1::PendingOperand& from : *response.mutable_operands()) {
    PendingOperand& to = page.operands.emplace_back();
    to.group = std::move(*from.mutable_group());
    to.kind = std::move(*from.mutable_kind());
    to.plural = std::move(*from.mutable_plural());
    to.name = {std::move(*from.mutable_namespace_()), std::move(*from.mutable_name())};
    to.uid = std::move(*from.mutable_uid());
    to.deletion_timestamp = std::move(*from.mutable_deletion_timestamp());
    to.finalizers.assign(from.finalizers().begin(), from.finalizers().end());
  }
  page.continue_token = std::move(*response.mutable_next_page_token());
  page.remaining = response.remaining();
  page.hidden = response.hidden();
  return page;
}

// The controllers have answered, whatever it is.
bool IsAnswer(const absl::Status& status) {
  return status.ok() || kube::HasReason(status, kube::FromStatus(status).reason);
}

// Another replica, or the same one a moment later, may do.
bool IsWorthRetrying(const absl::Status& status) {
  return absl::IsUnavailable(status) || (absl::IsCancelled(status) && !IsAnswer(status));
}

class Running {
 public:
  explicit Running(std::atomic<int>& count) : count_(count), before_(count.fetch_add(1)) {}
  ~Running() { count_.fetch_sub(1); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  int before() const { return before_; }

 private:
  std::atomic<int>& count_;
  const int before_;
};

}  // namespace

struct ControllersClient::Impl {
  Impl(ControllersClientOptions with, Clock& by, Random& from)
      : options(std::move(with)),
        clock(by),
        random(from),
        circuit(by, from, options.circuit),
        stubs(Connect(options)) {}

  Task<cleanup::v1::ListPendingResponse> Ask(Question question);
  Task<cleanup::v1::ListPendingResponse> Attempt(const Question& question, absl::Duration timeout);
  absl::Status Away(std::string_view why) const;

  const ControllersClientOptions options;
  Clock& clock;
  Random& random;
  Circuit circuit;
  const std::vector<std::unique_ptr<Stub>> stubs;
  std::atomic<size_t> next{0};
  std::atomic<int> running{0};
};

absl::Status ControllersClient::Impl::Away(std::string_view why) const {
  const absl::Status files = FilesAreThere(options);
  if (!files.ok()) why = ToStd(files.message());
  const double seconds = std::ceil(absl::ToDoubleSeconds(circuit.OpenFor()));
  return kube::ToStatus(
      kube::ServiceUnavailable(StrCat("Steward's controllers cannot be asked at present: ", why),
                               std::max(static_cast<int>(seconds), 1)));
}

// One attempt, if the circuit lets it through.
Task<cleanup::v1::ListPendingResponse> ControllersClient::Impl::Attempt(const Question& question,
                                                                        absl::Duration timeout) {
  absl::StatusOr<Circuit::Pass> pass = circuit.Enter();
  if (!pass.ok()) co_return Away(ToStd(pass.status().message()));
  Stub& stub = *stubs[next.fetch_add(1) % stubs.size()];
  absl::StatusOr<cleanup::v1::ListPendingResponse> answer =
      co_await CallOnce(stub, question, timeout);
  if (IsAnswer(answer.status())) {
    pass->Succeeded();
  } else {
    pass->Failed(std::string(answer.status().message()));
  }
  co_return answer;
}

Task<cleanup::v1::ListPendingResponse> ControllersClient::Impl::Ask(Question question) {
  const Running now(running);
  if (now.before() >= options.max_calls) {
    co_return kube::ToStatus(
        kube::TooManyRequests("too many questions to the controllers, please try again later", 1));
  }
  const absl::Duration end = clock.Monotonic() + options.call_timeout;
  Backoff backoff(options.retry, random);
  absl::Status status;
  for (int attempt = 1;; ++attempt) {
    const absl::Duration left = end - clock.Monotonic();
    absl::StatusOr<cleanup::v1::ListPendingResponse> answer = co_await Attempt(question, left);
    if (answer.ok()) co_return answer;
    status = answer.status();
    const absl::Duration delay = backoff.Next();
    const bool time = clock.Monotonic() + delay < end;
    if (attempt >= options.attempts || !time || !IsWorthRetrying(status) || circuit.open()) break;
    co_await clock.Sleep(delay);
  }
  if (IsAnswer(status)) co_return status;
  co_return Away(ToStd(status.message()));
}

ControllersClient::ControllersClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControllersClient::~ControllersClient() = default;

absl::StatusOr<std::unique_ptr<ControllersClient>> ControllersClient::Create(
    ControllersClientOptions options, Clock& clock, Random& random) {
  const absl::Status files = CheckFiles(options);
  if (!files.ok() && !absl::IsNotFound(files)) return files;
  auto impl = std::make_unique<Impl>(std::move(options), clock, random);
  return std::unique_ptr<ControllersClient>(new ControllersClient(std::move(impl)));
}

Task<PendingPage> ControllersClient::ListPending(Asker asker, kube::NamespacedName csv,
                                                 int64_t limit, std::string continue_token) {
  Question question;
  question.audit_id = std::move(asker.audit_id);
  question.traceparent = std::move(asker.traceparent);
  question.request = RequestFor(std::move(asker), std::move(csv), limit, std::move(continue_token));
  CO_ASSIGN_OR_RETURN(cleanup::v1::ListPendingResponse response,
                      co_await impl_->Ask(std::move(question)));
  co_return PageOf(std::move(response));
}

}  // namespace steward::upstream
