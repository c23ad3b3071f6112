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

std::string FixedHeaders(const ClientConfig& config, const RestClientOptions& options) {
  return StrCat("Host: ", HostField(config), "\r\nUser-Agent: ", options.user_agent, "\r\n");
}

// The request's name in messages: without the query, which can be long.
std::string Describe(const RestRequest& request) {
  const std::string_view target = request.target;
  return StrCat(request.method, " ", target.substr(0, target.find('?')));
}

// Reads the rest of an error's body. When that fails, the answer is still an error.
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

RequestSender::RequestSender(const ClientConfig& config, std::unique_ptr<Dialer> dialer,
                             boost::asio::any_io_executor executor, Clock& clock, Random& random,
                             const RestClientOptions& options)
    : fixed_headers_(FixedHeaders(config, options)),
      path_prefix_(config.path_prefix),
      credentials_(config, clock, options.read_file),
      pool_(std::move(dialer), std::move(executor), clock, options.connections),
      clock_(clock),
      random_(random),
      options_(options) {}

std::string RequestSender::Serialize(const RestRequest& request,
                                     const std::string& authorization) const {
  std::string bytes =
      StrCat(request.method, " ", path_prefix_, request.target, " HTTP/1.1\r\n", fixed_headers_);
  StrAppend(&bytes, "Accept: ", request.accept, "\r\n");
  if (!authorization.empty()) StrAppend(&bytes, "Authorization: ", authorization, "\r\n");
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

void RequestSender::Observe(const RestRequest& request, std::string_view code,
                            absl::Time start) const {
  if (options_.observer) options_.observer(request.method, code, clock_.Now() - start);
}

Task<RequestSender::Answer> RequestSender::SendOn(const RestRequest& request,
                                                  const std::string& bytes, bool fresh,
                                                  bool& stale) {
  stale = false;
  const absl::Time start = clock_.Now();
  absl::StatusOr<ConnectionPool::Lease> lease = co_await pool_.Acquire(fresh);
  if (!lease.ok()) {
    Observe(request, "<error>", start);
    co_return std::move(lease).status();
  }
  absl::StatusOr<ResponseHead> head = co_await (*lease)->Exchange(bytes, request.may_send);
  if (!head.ok()) {
    stale = lease->used_before() && !(*lease)->response_began();
    Observe(request, "<error>", start);
    co_return head.status();
  }
  Observe(request, StrCat(head->status), start);
  co_return Answer{*std::move(lease), *std::move(head)};
}

// A kept connection that the server has just closed fails before any byte of an answer. A request
// that only reads may then be sent again, once; a write may not, because it could have arrived.
Task<RequestSender::Answer> RequestSender::Send(const RestRequest& request,
                                                const std::string& authorization) {
  const std::string bytes = Serialize(request, authorization);
  bool stale = false;
  absl::StatusOr<Answer> answer = co_await SendOn(request, bytes, /*fresh=*/false, stale);
  if (stale && request.method == "GET") {
    answer = co_await SendOn(request, bytes, /*fresh=*/true, stale);
  }
  co_return std::move(answer);
}

Task<RequestSender::Answer> RequestSender::SendAuthorized(const RestRequest& request) {
  CO_ASSIGN_OR_RETURN(std::string authorization, credentials_.Authorization());
  CO_ASSIGN_OR_RETURN(Answer answer, co_await Send(request, authorization));
  if (answer.head.status != 401 || !credentials_.Refresh()) co_return std::move(answer);
  answer = Answer{};  // gives its connection's place back first
  CO_ASSIGN_OR_RETURN(authorization, credentials_.Authorization());
  co_return co_await Send(request, authorization);
}

Task<ConnectionPool::Lease> RequestSender::OpenUnlimited(RestRequest request, absl::Time deadline) {
  RetryPolicy policy(random_);
  while (true) {
    CO_ASSIGN_OR_RETURN(Answer answer, co_await SendAuthorized(request));
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

Task<Body> RequestSender::FetchUnlimited(RestRequest request, absl::Time deadline) {
  const size_t limit = request.max_body_bytes;
  CO_ASSIGN_OR_RETURN(ConnectionPool::Lease lease,
                      co_await OpenUnlimited(std::move(request), deadline));
  CO_ASSIGN_OR_RETURN(Body body, co_await ReadWholeBody(lease, limit));
  lease.Recycle();
  co_return body;
}

Task<Body> RequestSender::Fetch(RestRequest request) {
  const absl::Duration timeout = request.timeout;
  std::string what = Describe(request);
  co_return co_await WithTimeout(clock_, timeout, std::move(what),
                                 FetchUnlimited(std::move(request), clock_.Now() + timeout));
}

Task<ConnectionPool::Lease> RequestSender::Open(RestRequest request) {
  const absl::Duration timeout = request.timeout;
  std::string what = Describe(request);
  co_return co_await WithTimeout(clock_, timeout, std::move(what),
                                 OpenUnlimited(std::move(request), clock_.Now() + timeout));
}

}  // namespace steward::kube
