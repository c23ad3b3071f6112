#include "kube/client/transport.h"

#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/dialer.h"

namespace steward::kube {
namespace {

Credentials::PluginRunner RunnerOf(const ExecPluginOptions& options) {
  return [options](const ExecPlugin& plugin) { return RunExecPlugin(plugin, options); };
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> Transport::Create(const ClientConfig& config,
                                                             boost::asio::any_io_executor executor,
                                                             Clock& clock,
                                                             const TransportOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<Dialer> dialer, MakeDialer(config, executor));
  return std::unique_ptr<Transport>(
      new Transport(config, std::move(dialer), std::move(executor), clock, options));
}

Transport::Transport(const ClientConfig& config, std::unique_ptr<Dialer> dialer,
                     boost::asio::any_io_executor executor, Clock& clock,
                     const TransportOptions& options)
    : prefix_(RequestPrefix(config)),
      fields_(FixedFields(config)),
      credentials_(config, executor, clock, options.read_file, RunnerOf(options.exec)),
      pool_(std::move(dialer), std::move(executor), clock, options.connections),
      clock_(clock),
      options_(options) {}

std::string Transport::Head(std::string_view method, std::string_view target) const {
  return StrCat(method, " ", prefix_, target, " HTTP/1.1\r\n", fields_);
}

Task<Credential> Transport::Current() {
  CO_ASSIGN_OR_RETURN(Credential credential, co_await credentials_.Current());
  if (credential.certificate != certificate_) {
    const PemKeyPair none;
    const absl::Status used =
        pool_.UseCertificate(credential.certificate ? *credential.certificate : none);
    if (!used.ok()) {
      co_return absl::UnauthenticatedError(
          StrCat("the credential plugin gave no usable certificate: ", ToStd(used.message())));
    }
    certificate_ = credential.certificate;
  }
  co_return std::move(credential);
}

void Transport::Observe(const Request& request, std::string_view code, absl::Time start) const {
  if (!options_.observer) return;
  options_.observer({request.method, request.target, code, clock_.Now() - start});
}

Task<Transport::Answer> Transport::SendOn(const Request& request, bool fresh, bool& connected,
                                          bool& stale) {
  connected = false;
  stale = false;
  const absl::Time start = clock_.Now();
  absl::StatusOr<ConnectionPool::Lease> lease = co_await pool_.Acquire(fresh);
  if (!lease.ok()) {
    Observe(request, "<error>", start);
    co_return std::move(lease).status();
  }
  connected = true;
  absl::StatusOr<ResponseHead> head = co_await (*lease)->Exchange(request.bytes, request.may_send);
  if (!head.ok()) {
    stale = OnlyReads(request.method) && lease->used_before() && !(*lease)->response_began();
    Observe(request, "<error>", start);
    co_return head.status();
  }
  Observe(request, StrCat(head->status), start);
  co_return Answer{*std::move(lease), *std::move(head)};
}

Task<Transport::Answer> Transport::Send(const Request& request, bool& connected) {
  bool stale = false;
  absl::StatusOr<Answer> answer = co_await SendOn(request, /*fresh=*/false, connected, stale);
  if (stale) answer = co_await SendOn(request, /*fresh=*/true, connected, stale);
  co_return std::move(answer);
}

}  // namespace steward::kube
