#include "console/server/upstream.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::console {
namespace {

bool OnlyReads(std::string_view method) { return method == "GET" || method == "HEAD"; }

absl::Status BadGateway(std::string_view why) {
  kube::Status status;
  status.code = 502;
  status.reason = "BadGateway";
  status.message = StrCat("the kube-apiserver did not answer: ", why);
  return kube::ToStatus(status);
}

absl::Status Unreachable(std::string_view why) {
  return kube::ToStatus(
      kube::ServiceUnavailable(StrCat("the kube-apiserver cannot be asked: ", why), 1));
}

}  // namespace

kube::ClientConfig WithoutCredentials(kube::ClientConfig config) {
  config.cert_pem.clear();
  config.key_pem.clear();
  config.token.clear();
  config.token_file.clear();
  config.username.clear();
  config.password.clear();
  return config;
}

absl::StatusOr<std::unique_ptr<Upstream>> Upstream::Create(
    const kube::ClientConfig& config, boost::asio::any_io_executor executor, Clock& clock,
    kube::ConnectionPoolOptions connections) {
  ASSIGN_OR_RETURN(std::unique_ptr<kube::Dialer> dialer, kube::MakeDialer(config, executor));
  return std::unique_ptr<Upstream>(
      new Upstream(config, std::move(dialer), std::move(executor), clock, connections));
}

Upstream::Upstream(const kube::ClientConfig& config, std::unique_ptr<kube::Dialer> dialer,
                   boost::asio::any_io_executor executor, Clock& clock,
                   kube::ConnectionPoolOptions connections)
    : host_(kube::HostField(config)),
      path_prefix_(config.path_prefix),
      credentials_(config, clock, kube::ReadFile),
      pool_(std::move(dialer), std::move(executor), clock, connections) {}

std::string Upstream::Serialize(const UpstreamRequest& request,
                                const std::string& authorization) const {
  std::string bytes = StrCat(request.method, " ", path_prefix_, request.target,
                             " HTTP/1.1\r\nHost: ", host_, "\r\n", request.fields);
  if (!authorization.empty()) StrAppend(&bytes, "Authorization: ", authorization, "\r\n");
  if (!OnlyReads(request.method)) {
    StrAppend(&bytes, "Content-Length: ", request.body.size(), "\r\n");
  }
  StrAppend(&bytes, "\r\n");
  if (!OnlyReads(request.method)) bytes += request.body;
  return bytes;
}

Task<UpstreamAnswer> Upstream::SendOn(const UpstreamRequest& request, const std::string& bytes,
                                      bool fresh, bool& stale) {
  stale = false;
  absl::StatusOr<kube::ConnectionPool::Lease> lease = co_await pool_.Acquire(fresh);
  if (!lease.ok()) co_return Unreachable(ToStd(lease.status().message()));
  absl::StatusOr<kube::ResponseHead> head = co_await (*lease)->Exchange(bytes, nullptr);
  if (!head.ok()) {
    stale = OnlyReads(request.method) && lease->used_before() && !(*lease)->response_began();
    co_return BadGateway(ToStd(head.status().message()));
  }
  co_return UpstreamAnswer{*std::move(lease), *std::move(head)};
}

Task<UpstreamAnswer> Upstream::SendAs(const UpstreamRequest& request,
                                      const std::string& authorization) {
  const std::string bytes = Serialize(request, authorization);
  bool stale = false;
  absl::StatusOr<UpstreamAnswer> answer = co_await SendOn(request, bytes, /*fresh=*/false, stale);
  if (stale) answer = co_await SendOn(request, bytes, /*fresh=*/true, stale);
  co_return std::move(answer);
}

Task<UpstreamAnswer> Upstream::Send(const UpstreamRequest& request) {
  if (!request.authorization.empty()) co_return co_await SendAs(request, request.authorization);
  absl::StatusOr<std::string> own = credentials_.Authorization();
  if (!own.ok()) co_return Unreachable(ToStd(own.status().message()));
  CO_ASSIGN_OR_RETURN(UpstreamAnswer answer, co_await SendAs(request, *own));
  if (answer.head.status != 401 || !credentials_.Refresh()) co_return std::move(answer);
  answer = UpstreamAnswer{};  // gives its connection's place back first
  own = credentials_.Authorization();
  if (!own.ok()) co_return Unreachable(ToStd(own.status().message()));
  co_return co_await SendAs(request, *own);
}

}  // namespace steward::console
