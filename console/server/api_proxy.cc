#include "console/server/api_proxy.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/filters/authentication/bearer_token.h"
#include "apiserver/filters/deadline.h"
#include "apiserver/filters/errors.h"
#include "apiserver/filters/read_body.h"
#include "apiserver/filters/request/request_info.h"
#include "apiserver/filters/request/status_response.h"
#include "base/async/task.h"
#include "base/clock/time_limit.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "console/server/api_request.h"
#include "console/server/watch_lines.h"
#include "kube/client/http_connection.h"
#include "kube/meta/status.h"

namespace steward::console {
namespace {

// The text of a warning as a quoted-string (RFC 9110, 5.6.4).
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

http::ResponseHead HeadOf(const kube::ResponseHead& from) {
  http::ResponseHead head;
  head.status = from.status;
  const auto add = [&head](const char* name, std::string value) {
    if (!value.empty()) head.headers.Add(name, std::move(value));
  };
  add("Content-Type", from.content_type);
  add("Audit-Id", from.audit_id);
  add("Cache-Control", from.cache_control.empty() ? "no-store" : from.cache_control);
  for (const std::string& warning : from.warnings)
    add("Warning", StrCat("299 - ", Quoted(warning)));
  if (from.retry_after > absl::ZeroDuration()) {
    add("Retry-After", StrCat(absl::ToInt64Seconds(from.retry_after)));
  }
  // Answers of the API are data, whatever their Content-Type says.
  add("X-Content-Type-Options", "nosniff");
  add("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'");
  add("Cross-Origin-Resource-Policy", "same-origin");
  return head;
}

StatusTask StreamBody(kube::HttpConnection& connection, http::ResponseWriter& writer) {
  while (true) {
    std::string bytes;
    CO_ASSIGN_OR_RETURN(const bool more, co_await connection.ReadBody(bytes));
    if (!more) co_return absl::OkStatus();
    CO_RETURN_IF_ERROR(co_await writer.Write({http::OwnedSegment(std::move(bytes))}));
  }
}

// Drops an unfinished line at the end: the client gets its event again when it resumes the watch.
StatusTask StreamLines(kube::HttpConnection& connection, http::ResponseWriter& writer) {
  WatchLines lines;
  while (true) {
    CO_ASSIGN_OR_RETURN(const bool more, co_await connection.ReadBody(lines.buffer()));
    if (!more) co_return absl::OkStatus();
    while (true) {
      CO_ASSIGN_OR_RETURN(std::optional<std::string> line, lines.Next());
      if (!line) break;
      CO_RETURN_IF_ERROR(co_await writer.Write({http::OwnedSegment(*std::move(line))}));
    }
  }
}

class ApiProxy {
 public:
  ApiProxy(ApiProxyOptions options, Upstream& upstream, Clock& clock)
      : options_(std::move(options)),
        upstream_(upstream),
        clock_(clock),
        waiting_(options_.waiting),
        watches_(options_.watches) {}

  const ApiProxyOptions& options() const { return options_; }
  Clock& clock() { return clock_; }

  // Sets in the request the requester (user.name), and the credentials to send on (Authorization).
  absl::Status Admit(http::Request& request) const {
    ASSIGN_OR_RETURN(Grant grant, Authorize(options_.access, request));
    filters::RemoveWebSocketTokens(request.headers);
    request.headers.Remove("Authorization");
    if (!grant.authorization.empty()) {
      request.headers.Set("Authorization", std::move(grant.authorization));
    }
    request.user.name = std::move(grant.requester);
    request.authenticated = options_.access.authentication == Authentication::kKubeconfig;
    return CheckForwardable(request);
  }

  VoidTask Forward(http::Request& request, http::ResponseWriter& writer) {
    const bool watch = filters::IsLongRunning(request.info);
    std::optional<UserQuota::Slot> watching;
    if (watch) watching = watches_.Take(request.user.name);
    std::optional<UserQuota::Slot> waiting = waiting_.Take(request.user.name);
    if (!waiting || (watch && !watching)) {
      co_await filters::RespondStatus(
          request, writer,
          kube::TooManyRequests("too many requests wait for the kube-apiserver at a time", 1));
      co_return;
    }
    const UpstreamRequest outgoing = Outgoing(request);
    absl::StatusOr<UpstreamAnswer> answer = co_await Ask(outgoing, watch);
    if (!answer.ok()) {
      log::Warning("A request could not be passed on",
                   {{"path", request.path}, {"err", answer.status()}});
      co_await filters::RespondStatus(request, writer, kube::FromStatus(answer.status()));
      co_return;
    }
    if (watch) waiting.reset();
    const absl::Status sent = co_await Relay(*answer, request, writer);
    sent.IgnoreError();  // the client is gone, or its answer ends incomplete
  }

 private:
  static UpstreamRequest Outgoing(http::Request& request) {
    UpstreamRequest outgoing;
    outgoing.method = request.method;
    outgoing.target = ForwardedTarget(request);
    outgoing.fields = ForwardedFields(request);
    if (const std::string* credentials = request.headers.Find("Authorization")) {
      outgoing.authorization = *credentials;
    }
    outgoing.body = std::move(request.body);
    return outgoing;
  }

  // Limits the time to the head of a watch's answer. WithDeadline limits other requests as a whole.
  Task<UpstreamAnswer> Ask(const UpstreamRequest& request, bool watch) {
    if (!watch) co_return co_await upstream_.Send(request);
    co_return co_await WithTimeout(clock_, options_.time_limit, "the kube-apiserver",
                                   upstream_.Send(request));
  }

  StatusTask Relay(UpstreamAnswer& answer, const http::Request& request,
                   http::ResponseWriter& writer) {
    http::ResponseHead head = HeadOf(answer.head);
    const bool json = answer.head.content_type.starts_with("application/json");
    const bool messages = request.websocket && answer.head.status == 200 && json;
    head.websocket = messages;
    const size_t length = answer.lease->content_length();
    if (!messages && length > 0) head.content_length = length;
    CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
    if (filters::IsLongRunning(request.info)) writer.Settled();
    if (request.method == "HEAD") co_return co_await writer.Finish();
    if (messages) {
      CO_RETURN_IF_ERROR(co_await StreamLines(*answer.lease, writer));
    } else {
      CO_RETURN_IF_ERROR(co_await StreamBody(*answer.lease, writer));
    }
    answer.lease.Recycle();
    co_return co_await writer.Finish();
  }

  const ApiProxyOptions options_;
  Upstream& upstream_;
  Clock& clock_;
  UserQuota waiting_;
  UserQuota watches_;
};

http::Handler WithAdmission(std::shared_ptr<ApiProxy> proxy, http::Handler next) {
  return [proxy = std::move(proxy), next = std::move(next)](
             http::Request& request, http::ResponseWriter& writer) -> VoidTask {
    const absl::Status admitted = proxy->Admit(request);
    if (!admitted.ok()) {
      return filters::RespondStatus(request, writer, kube::FromStatus(admitted));
    }
    return next(request, writer);
  };
}

}  // namespace

kube::ConnectionPoolOptions ConnectionsFor(const ApiProxyOptions& options) {
  kube::ConnectionPoolOptions connections;
  connections.max_connections = options.waiting.all + options.watches.all;
  return connections;
}

http::Handler ForwardToApi(ApiProxyOptions options, Upstream& upstream, Clock& clock) {
  const auto proxy = std::make_shared<ApiProxy>(std::move(options), upstream, clock);
  http::Handler handler = [proxy](http::Request& request, http::ResponseWriter& writer) {
    return proxy->Forward(request, writer);
  };
  filters::BodyLimits bodies;
  bodies.max_bytes = proxy->options().max_body_bytes;
  handler = filters::WithBody(std::move(handler), bodies);
  handler = filters::WithDeadline(std::move(handler), clock, proxy->options().time_limit);
  handler = WithAdmission(proxy, std::move(handler));
  handler = filters::WithRequestInfo(std::move(handler));
  return filters::WithErrors(std::move(handler));
}

}  // namespace steward::console
