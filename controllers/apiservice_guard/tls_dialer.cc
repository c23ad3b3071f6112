#include "controllers/apiservice_guard/tls_dialer.h"

#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "kube/client/client.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_options.h"
#include "kube/meta/errors.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(2);

// An answer that cannot be understood counts as an answer, too.
bool Answered(const absl::Status& asked) {
  return kube::IsAnswer(asked) || absl::IsDataLoss(asked) || absl::IsResourceExhausted(asked);
}

}  // namespace

Task<ReplicaAnswer> TlsDialer::Dial(const ReplicaAddress& address, const ServiceTarget& target) {
  kube::ClientConfig config;
  config.host = address.host;
  config.port = address.port;
  config.tls_server_name = target.ServerName();
  config.ca_pem = target.ca_pem;
  config.insecure_skip_tls_verify = target.insecure;
  absl::Status asked = co_await Ask(config);
  if (Answered(asked)) co_return ReplicaAnswer::kTrusted;
  if (absl::IsDeadlineExceeded(asked) || target.insecure) co_return ReplicaAnswer::kSilent;
  // Find out whether the certificate is the problem, or nobody answers: ask again without checking
  // it.
  kube::ClientConfig anybody = config;
  anybody.ca_pem.clear();
  anybody.insecure_skip_tls_verify = true;
  if (!Answered(co_await Ask(anybody))) co_return ReplicaAnswer::kSilent;
  // The replica may have begun to serve in between.
  asked = co_await Ask(config);
  co_return Answered(asked) ? ReplicaAnswer::kTrusted : ReplicaAnswer::kUntrusted;
}

StatusTask TlsDialer::Ask(const kube::ClientConfig& config) {
  kube::RestClientOptions options;
  options.user_agent = "steward-apiservice-guard";
  options.request_timeout = kPatience;
  auto executor = co_await boost::asio::this_coro::executor;
  const absl::StatusOr<std::unique_ptr<kube::Client>> client =
      kube::MakeRestClient(config, executor, clock_, random_, std::move(options));
  CO_RETURN_IF_ERROR(client.status());
  const auto answer = co_await (*client)->Discover(kGuardedVersion);
  co_return answer.status();
}

}  // namespace steward::controllers
