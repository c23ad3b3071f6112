#include "apiserver/upstream/channel.h"

#include <grpc/impl/codegen/grpc_types.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "apiserver/upstream/kept_calls.h"
#include "base/async/broadcast.h"
#include "base/async/stop_signal.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "base/tls/pem_files.h"
#include "kube/grpc/admission.h"
#include "kube/grpc/status.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"

namespace steward::upstream {
namespace {

constexpr int kMaxMessageBytes = 4 << 20;
constexpr int kKeepaliveMs = 30'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr int kFirstReconnectMs = 250;
constexpr int kMaxReconnectMs = 5'000;

using Stub = grpc::GenericStub;

// Fails with the name of the first unreadable file. Missing files are the likeliest reason of a
// failure, and may still appear.
absl::Status FilesAreThere(const ChannelOptions& options) {
  for (const std::string& file : {options.ca_file, options.cert_file, options.key_file}) {
    RETURN_IF_ERROR(ReadSmallFile(file).status());
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const ChannelOptions& options) {
  namespace tls = grpc::experimental;
  tls::TlsChannelCredentialsOptions credentials;
  credentials.set_certificate_provider(std::make_shared<tls::FileWatcherCertificateProvider>(
      options.key_file, options.cert_file, options.ca_file, options.reload_seconds));
  credentials.watch_root_certs();
  credentials.watch_identity_key_cert_pairs();
  return tls::TlsCredentials(credentials);
}

std::vector<std::unique_ptr<Stub>> Connect(const ChannelOptions& options) {
  grpc::ChannelArguments arguments;
  // Each of the gRPC clients has connections of its own, to every address of the name.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetLoadBalancingPolicyName("round_robin");
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  // The controllers are in the same cluster, so the environment's proxy settings do not apply.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Retries are decided here and not by gRPC.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  std::vector<std::unique_ptr<Stub>> stubs;
  for (size_t i = 0; i < std::max<size_t>(options.connections, 1); ++i) {
    stubs.push_back(std::make_unique<Stub>(
        grpc::CreateCustomChannel(options.address, Credentials(options), arguments)));
  }
  return stubs;
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<std::string> BytesOf(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  if (!buffer.Valid()) return std::string();
  if (!buffer.DumpToSingleSlice(&slice).ok()) return absl::InternalError("an unreadable message");
  return std::string(reinterpret_cast<const char*>(slice.begin()), slice.size());
}

void SetIds(const Asker& asker, grpc::ClientContext& context) {
  if (!asker.audit_id.empty()) context.AddMetadata("audit-id", asker.audit_id);
  if (!asker.traceparent.empty()) context.AddMetadata("traceparent", asker.traceparent);
}

// Returns true if another replica, or the same one a moment later, may succeed.
bool IsWorthRetrying(const absl::Status& status) {
  return absl::IsUnavailable(status) || (absl::IsCancelled(status) && !kube::IsAnswer(status));
}

// A call's method and request, and the user for whom it is made.
struct Question {
  std::string method;
  Asker asker;
  std::string request;
};

// Shared with gRPC's thread, which writes status and response before `ended` is set.
struct UnaryCall {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  grpc::Status status;
  StopSignal ended;
};

// Cancels the call when no task waits for its answer any more.
class CancelAtEnd {
 public:
  CancelAtEnd(std::shared_ptr<UnaryCall> call, KeptCalls& kept)
      : kept_(kept), call_(std::move(call)) {}
  ~CancelAtEnd() {
    call_->context.TryCancel();
    call_.reset();
    kept_.Reap();
  }
  CancelAtEnd(const CancelAtEnd&) = delete;
  CancelAtEnd& operator=(const CancelAtEnd&) = delete;

 private:
  KeptCalls& kept_;
  std::shared_ptr<UnaryCall> call_;
};

Task<std::string> CallOnce(Stub& stub, const std::shared_ptr<KeptCalls>& kept,
                           const Question& question, absl::Duration timeout) {
  auto call = std::make_shared<UnaryCall>();
  call->request = BufferOf(question.request);
  SetIds(question.asker, call->context);
  call->context.set_deadline(std::chrono::system_clock::now() +
                             absl::ToChronoMilliseconds(timeout));
  const CancelAtEnd cancel(call, *kept);
  kept->Keep(call);
  stub.UnaryCall(&call->context, question.method, {}, &call->request, &call->response,
                 [kept, call = call.get()](grpc::Status status) {
                   call->status = std::move(status);
                   call->ended.Set();
                   kept->Ended(call);
                 });
  co_await call->ended.Wait();
  if (!call->status.ok()) co_return kube::FromGrpc(call->status);
  co_return BytesOf(call->response);
}

// A call with a stream of responses, which gRPC's threads and one reader share:
//
//   Start -> reading (StartRead .. OnReadDone(true)) -> idle -> reading -> ...
//                    OnReadDone(false) or Abandon -> OnDone -> deleted by KeptCalls::Reap, after
//                    the reader has released it
//
// A hold keeps gRPC from OnDone while the reader may still begin a read.
class StreamCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                         public std::enable_shared_from_this<StreamCall> {
 public:
  StreamCall(const Asker& asker, std::shared_ptr<KeptCalls> kept) : kept_(std::move(kept)) {
    SetIds(asker, context_);
  }

  void Start(Stub& stub, const std::string& method, const std::string& request) {
    kept_->Keep(shared_from_this());
    request_ = BufferOf(request);
    stub.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();
    StartWriteLast(&request_, grpc::WriteOptions());
    StartCall();
  }

  // Returns the next message, or none at the end; End then returns the status.
  Task<std::optional<std::string>> Read() {
    const Broadcast::Ticket ticket = read_.Now();
    StartRead(&message_);
    co_await read_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
    {
      MutexLock lock(&mutex_);
      if (!ok_) co_return std::nullopt;
    }
    CO_ASSIGN_OR_RETURN(std::string bytes, BytesOf(message_));
    co_return bytes;
  }

  StatusTask End() {
    Release();
    co_await ended_.Wait();
    MutexLock lock(&mutex_);
    co_return kube::FromGrpc(status_);
  }

  // Called when the reader ends, possibly during a read.
  void Abandon() {
    context_.TryCancel();
    Release();
  }

 private:
  void Release() {
    if (std::exchange(held_, false)) RemoveHold();
  }
  void OnReadDone(bool ok) override {
    {
      MutexLock lock(&mutex_);
      ok_ = ok;
    }
    read_.Notify();
  }
  void OnDone(const grpc::Status& status) override {
    {
      MutexLock lock(&mutex_);
      status_ = status;
    }
    ended_.Set();
    // After Ended, another thread may destroy this object, so `kept_` must be copied before.
    const std::shared_ptr<KeptCalls> kept = kept_;
    kept->Ended(this);
  }

  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;  // owned by gRPC during a read
  bool held_ = true;          // the reader has a hold
  Broadcast read_;
  StopSignal ended_;
  Mutex mutex_;
  bool ok_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status status_ ABSL_GUARDED_BY(mutex_);
  const std::shared_ptr<KeptCalls> kept_;  // keeps gRPC's reference to this call until OnDone
};

}  // namespace

struct Channel::Impl {
  class Stream;

  Impl(ChannelOptions with, Clock& by, Random& from)
      : options(std::move(with)),
        clock(by),
        random(from),
        circuit(by, from, options.circuit),
        stubs(Connect(options)),
        calls(options.max_calls, "questions to the controllers"),
        streams(options.max_streams, "streams from the controllers") {}
  // Waits for the calls to end, so that the stubs are destroyed after them and not on a thread of
  // gRPC.
  ~Impl() { kept->Close(); }

  Task<std::string> Ask(Question question);
  Task<std::string> Attempt(const Question& question, absl::Duration timeout);
  absl::Status UnavailableStatus(std::string_view why) const;
  // Passes an answer on unchanged, and converts a transport failure to 503.
  absl::Status Told(const absl::Status& status) const {
    if (kube::IsAnswer(status)) return status;
    if (absl::IsUnimplemented(status)) {
      return UnavailableStatus("they are of another version, which does not know this question");
    }
    return UnavailableStatus(ToStd(status.message()));
  }
  Stub& NextStub() { return *stubs[next.fetch_add(1) % stubs.size()]; }

  const ChannelOptions options;
  Clock& clock;
  Random& random;
  Circuit circuit;
  const std::vector<std::unique_ptr<Stub>> stubs;
  std::atomic<size_t> next{0};
  kube::Admission calls;
  kube::Admission streams;
  const std::shared_ptr<KeptCalls> kept = std::make_shared<KeptCalls>();
};

absl::Status Channel::Impl::UnavailableStatus(std::string_view why) const {
  const absl::Status files = FilesAreThere(options);
  if (!files.ok()) why = ToStd(files.message());
  const double seconds = std::ceil(absl::ToDoubleSeconds(circuit.OpenFor()));
  return kube::ToStatus(
      kube::ServiceUnavailable(StrCat("Steward's controllers cannot be asked at present: ", why),
                               std::max(static_cast<int>(seconds), 1)));
}

// Makes one attempt, if the circuit allows it.
Task<std::string> Channel::Impl::Attempt(const Question& question, absl::Duration timeout) {
  absl::StatusOr<Circuit::Pass> pass = circuit.Enter();
  if (!pass.ok()) co_return UnavailableStatus(ToStd(pass.status().message()));
  absl::StatusOr<std::string> answer = co_await CallOnce(NextStub(), kept, question, timeout);
  if (kube::IsAnswer(answer.status()) || absl::IsUnimplemented(answer.status())) {
    pass->Succeeded();
  } else {
    pass->Failed(std::string(answer.status().message()));
  }
  co_return answer;
}

Task<std::string> Channel::Impl::Ask(Question question) {
  CO_ASSIGN_OR_RETURN(const kube::Admission::Place place, calls.Enter(question.asker.user.name));
  const absl::Duration end = clock.Monotonic() + options.call_timeout;
  Backoff backoff(options.retry, random);
  absl::Status status;
  for (int attempt = 1;; ++attempt) {
    const absl::Duration left = end - clock.Monotonic();
    absl::StatusOr<std::string> answer = co_await Attempt(question, left);
    if (answer.ok()) co_return answer;
    status = answer.status();
    const absl::Duration delay = backoff.Next();
    const bool time = clock.Monotonic() + delay < end;
    if (attempt >= options.attempts || !time || !IsWorthRetrying(status) || circuit.open()) break;
    co_await clock.Sleep(delay);
  }
  co_return Told(status);
}

// Reports to the circuit once whether the transport works, with the first message or the end.
class Channel::Impl::Stream final : public ByteStream {
 public:
  Stream(Impl& impl, kube::Admission::Place place, Circuit::Pass pass,
         std::shared_ptr<StreamCall> call)
      : impl_(impl), place_(std::move(place)), pass_(std::move(pass)), call_(std::move(call)) {}
  ~Stream() override { call_->Abandon(); }

  Task<std::optional<std::string>> Next() override {
    CO_ASSIGN_OR_RETURN(std::optional<std::string> bytes, co_await call_->Read());
    if (bytes.has_value()) {
      Note(absl::OkStatus());
      co_return bytes;
    }
    const absl::Status end = co_await call_->End();
    Note(end);
    if (!end.ok()) co_return impl_.Told(end);
    co_return std::nullopt;
  }

 private:
  void Note(const absl::Status& status) {
    if (!pass_.has_value()) return;
    if (kube::IsAnswer(status)) {
      pass_->Succeeded();
    } else {
      pass_->Failed(std::string(status.message()));
    }
    pass_.reset();
  }

  Impl& impl_;
  const kube::Admission::Place place_;
  std::optional<Circuit::Pass> pass_;  // nullopt: the outcome was already reported to the circuit
  const std::shared_ptr<StreamCall> call_;
};

Channel::Channel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Channel::~Channel() = default;

absl::StatusOr<std::unique_ptr<Channel>> Channel::Create(ChannelOptions options, Clock& clock,
                                                         Random& random) {
  const absl::Status files = CheckPemFiles(
      {.cert_file = options.cert_file, .key_file = options.key_file, .ca_file = options.ca_file});
  if (!files.ok() && !absl::IsNotFound(files)) return files;
  auto impl = std::make_unique<Impl>(std::move(options), clock, random);
  return std::unique_ptr<Channel>(new Channel(std::move(impl)));
}

void Channel::SetRequester(const Asker& asker, common::v1::Requester& requester) {
  requester.set_user(asker.user.name);
  requester.set_uid(asker.user.uid);
  requester.clear_groups();
  for (const std::string& group : asker.user.groups) requester.add_groups(group);
  requester.clear_extra();
  for (const auto& [key, values] : asker.user.extra) {
    common::v1::Requester::Values& list = (*requester.mutable_extra())[key];
    for (const std::string& value : values) list.add_values(value);
  }
}

Task<std::string> Channel::CallBytes(std::string method, Asker asker, std::string request) {
  return impl_->Ask({std::move(method), std::move(asker), std::move(request)});
}

absl::StatusOr<std::unique_ptr<ByteStream>> Channel::StreamBytes(std::string method,
                                                                 const Asker& asker,
                                                                 const std::string& request) {
  ASSIGN_OR_RETURN(kube::Admission::Place place, impl_->streams.Enter(asker.user.name));
  absl::StatusOr<Circuit::Pass> pass = impl_->circuit.Enter();
  if (!pass.ok()) return impl_->UnavailableStatus(ToStd(pass.status().message()));
  auto call = std::make_shared<StreamCall>(asker, impl_->kept);
  call->Start(impl_->NextStub(), method, request);
  return std::make_unique<Impl::Stream>(*impl_, std::move(place), *std::move(pass),
                                        std::move(call));
}

}  // namespace steward::upstream
