#include "kube/client/request_sender.h"

#include <algorithm>
#include <utility>

#include "base/clock/time_limit.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/client/http_status.h"
#include "kube/client/retry.h"

namespace steward::kube {
namespace {

using Body = std::shared_ptr<const std::string>;

constexpr size_t kMaxErrorBytes = 1 << 20;

// The request's name in messages: without the query, which can be long.
std::string Describe(const RestRequest& request) {
  const std::string_view target = request.target;
  return StrCat(request.method, " ", target.substr(0, target.find('?')));
}

// Reads the rest of an error's body. If that fails, the answer still is that error.
boost::asio::awaitable<absl::Status> ErrorOf(ConnectionPool::Lease& lease,
                                             const ResponseHead& head) {
  std::string body;
  while (body.size() <= kMaxErrorBytes) {
    const absl::StatusOr<bool> more = co_await lease->ReadBody(body);
    if (!more.ok() || !*more) break;
  }
  lease.Recycle();
  co_return StatusOfHttpError(head.status, body, head.retry_after);
}

Task<Body> ReadWholeBody(ConnectionPool::Lease& lease, size_t limit) {
  auto body = std::make_shared<std::string>();
  body->reserve(std::min(lease->content_length(), limit) + RawObject::kPadding);
  while (true) {
    CO_ASSIGN_OR_RETURN(const bool more, co_await lease->ReadBody(*body));
    if (!more) break;
    if (body->size() > limit) {
      co_return absl::ResourceExhaustedError(
          StrCat("the API server's answer is larger than ", limit, " bytes"));
    }
  }
  body->append(RawObject::kPadding, '\0');
  co_return Body(std::move(body));
}

}  // namespace

RequestSender::RequestSender(std::unique_ptr<Transport> transport, Clock& clock, Random& random,
                             const RestClientOptions& options)
    : transport_(std::move(transport)), clock_(clock), random_(random), options_(options) {}

std::string RequestSender::Serialize(const RestRequest& request,
                                     const Credential& credential) const {
  std::string bytes = transport_->Head(request.method, request.target);
  StrAppend(&bytes, "User-Agent: ", options_.user_agent, "\r\nAccept: ", request.accept, "\r\n");
  if (!credential.authorization.empty()) {
    StrAppend(&bytes, "Authorization: ", credential.authorization, "\r\n");
  }
  bytes += request.impersonation;
  if (!request.traceparent.empty()) {
    StrAppend(&bytes, "traceparent: ", request.traceparent, "\r\n");
  }
  if (request.method != "GET") {
    StrAppend(&bytes, "Content-Type: ", request.content_type,
              "\r\nContent-Length: ", request.body.size(), "\r\n");
  }
  StrAppend(&bytes, "\r\n", request.body);
  return bytes;
}

Task<ConnectionPool::Lease> RequestSender::OpenUnlimited(const RestRequest& request,
                                                         const Credential& credential,
                                                         absl::Time deadline) {
  RetryPolicy policy(random_);
  const std::string bytes = Serialize(request, credential);
  while (true) {
    bool connected = false;
    const Transport::Request sent{request.method, request.target, bytes, request.may_send};
    CO_ASSIGN_OR_RETURN(Transport::Answer answer, co_await transport_->Send(sent, connected));
    const int code = answer.head.status;
    if (request.warnings != nullptr) *request.warnings = std::move(answer.head.warnings);
    if (request.date != nullptr) *request.date = answer.head.date;
    if (code / 100 == 2) co_return std::move(answer.lease);
    absl::Status error = co_await ErrorOf(answer.lease, answer.head);
    const std::optional<absl::Duration> wait =
        policy.Next(code, answer.head.retry_after, request.method == "GET");
    if (!wait || clock_.Now() + *wait >= deadline) co_return error;
    co_await clock_.Sleep(*wait);
  }
}

Task<Body> RequestSender::FetchUnlimited(const RestRequest& request, const Credential& credential,
                                         absl::Time deadline) {
  const size_t limit = request.max_body_bytes;
  CO_ASSIGN_OR_RETURN(ConnectionPool::Lease lease,
                      co_await OpenUnlimited(request, credential, deadline));
  CO_ASSIGN_OR_RETURN(Body body, co_await ReadWholeBody(lease, limit));
  lease.Recycle();
  co_return body;
}

Task<Body> RequestSender::FetchWithin(const RestRequest& request, const Credential& credential) {
  const absl::Duration timeout = request.timeout;
  const absl::Time deadline = clock_.Now() + timeout;
  std::string what = Describe(request);
  co_return co_await WithTimeout(clock_, timeout, std::move(what),
                                 FetchUnlimited(request, credential, deadline));
}

Task<ConnectionPool::Lease> RequestSender::OpenWithin(const RestRequest& request,
                                                      const Credential& credential) {
  const absl::Duration timeout = request.timeout;
  const absl::Time deadline = clock_.Now() + timeout;
  std::string what = Describe(request);
  co_return co_await WithTimeout(clock_, timeout, std::move(what),
                                 OpenUnlimited(request, credential, deadline));
}

Task<Body> RequestSender::Fetch(RestRequest request) {
  CO_ASSIGN_OR_RETURN(Credential credential, co_await transport_->Current());
  absl::StatusOr<Body> body = co_await FetchWithin(request, credential);
  if (!absl::IsUnauthenticated(body.status())) co_return std::move(body);
  CO_ASSIGN_OR_RETURN(const bool renewed, co_await transport_->Renew(credential));
  if (!renewed) co_return std::move(body);
  CO_ASSIGN_OR_RETURN(credential, co_await transport_->Current());
  co_return co_await FetchWithin(request, credential);
}

Task<ConnectionPool::Lease> RequestSender::Open(RestRequest request) {
  CO_ASSIGN_OR_RETURN(Credential credential, co_await transport_->Current());
  absl::StatusOr<ConnectionPool::Lease> lease = co_await OpenWithin(request, credential);
  if (!absl::IsUnauthenticated(lease.status())) co_return std::move(lease);
  CO_ASSIGN_OR_RETURN(const bool renewed, co_await transport_->Renew(credential));
  if (!renewed) co_return std::move(lease);
  CO_ASSIGN_OR_RETURN(credential, co_await transport_->Current());
  co_return co_await OpenWithin(request, credential);
}

}  // namespace steward::kube
