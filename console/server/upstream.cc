#include "console/server/upstream.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/credentials.h"
#include "kube/client/impersonation.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::console {
namespace {

// The header line for `value`, with its end; "" for "".
std::string Authorization(const std::string& value) {
  return value.empty() ? "" : StrCat("Authorization: ", value, "\r\n");
}

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

absl::StatusOr<std::unique_ptr<Upstream>> Upstream::Create(
    const kube::ClientConfig& config, boost::asio::any_io_executor executor, Clock& clock,
    kube::ConnectionPoolOptions connections) {
  ASSIGN_OR_RETURN(
      std::unique_ptr<kube::Transport> transport,
      kube::Transport::Create(config, std::move(executor), clock, {.connections = connections}));
  return std::unique_ptr<Upstream>(new Upstream(
      std::move(transport), config.acting ? kube::ImpersonationHeaders(*config.acting) : ""));
}

// `identity`: the header lines that say who asks.
Task<UpstreamAnswer> Upstream::SendAs(const UpstreamRequest& request, std::string identity) {
  std::string bytes =
      StrCat(transport_->Head(request.method, request.target), request.fields, identity);
  if (kube::Transport::OnlyReads(request.method)) {
    StrAppend(&bytes, "\r\n");
  } else {
    StrAppend(&bytes, "Content-Length: ", request.body.size(), "\r\n\r\n", request.body);
  }
  bool connected = false;
  const kube::SendCheck always;
  const kube::Transport::Request sent{request.method, request.target, bytes, always};
  absl::StatusOr<UpstreamAnswer> answer = co_await transport_->Send(sent, connected);
  if (answer.ok()) co_return std::move(answer);
  const std::string why(answer.status().message());
  if (!connected) co_return Unreachable(why);
  co_return BadGateway(why);
}

Task<UpstreamAnswer> Upstream::Send(const UpstreamRequest& request) {
  if (!request.authorization.empty()) {
    co_return co_await SendAs(request, Authorization(request.authorization));
  }
  absl::StatusOr<kube::Credential> own = co_await transport_->Current();
  if (!own.ok()) co_return Unreachable(ToStd(own.status().message()));
  CO_ASSIGN_OR_RETURN(UpstreamAnswer answer,
                      co_await SendAs(request, Authorization(own->authorization) + acting_));
  if (answer.head.status != 401) co_return std::move(answer);
  const absl::StatusOr<bool> renewed = co_await transport_->Renew(*own);
  if (!renewed.ok() || !*renewed) co_return std::move(answer);
  answer = UpstreamAnswer{};  // first gives back the place of its connection
  own = co_await transport_->Current();
  if (!own.ok()) co_return Unreachable(ToStd(own.status().message()));
  co_return co_await SendAs(request, Authorization(own->authorization) + acting_);
}

}  // namespace steward::console
