#include "apiserver/server/health.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_join.h"
#include "apiserver/filters/request/status_response.h"
#include "apiserver/rest/encoding/errors.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::server {
namespace {

struct Endpoint {
  std::string_view name;
  bool HealthCheck::*member;
};
constexpr Endpoint kEndpoints[] = {
    {"healthz", &HealthCheck::in_healthz},
    {"livez", &HealthCheck::in_livez},
    {"readyz", &HealthCheck::in_readyz},
};

using Checks = std::vector<HealthCheck>;

// The values of `exclude`, with a record of those that matched no check.
class Exclusions {
 public:
  explicit Exclusions(const http::Request& request) {
    for (const auto& [key, value] : request.query) {
      if (key == "exclude") unused_.push_back(value);
    }
    std::sort(unused_.begin(), unused_.end());
    unused_.erase(std::unique(unused_.begin(), unused_.end()), unused_.end());
  }
  bool Take(const std::string& name) {
    const auto found = std::find(unused_.begin(), unused_.end(), name);
    if (found == unused_.end()) return false;
    unused_.erase(found);
    return true;
  }
  const std::vector<std::string>& unused() const { return unused_; }

 private:
  std::vector<std::string> unused_;
};

VoidTask RespondOk(http::ResponseWriter& writer, std::string body) {
  http::ResponseHead head;
  head.headers.Add("Content-Type", "text/plain; charset=utf-8");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  head.content_length = body.size();
  absl::Status sent = co_await writer.WriteHead(std::move(head));
  if (!sent.ok()) co_return;
  std::vector<http::Segment> segments;
  segments.push_back(http::OwnedSegment(std::move(body)));
  sent = co_await writer.Write(std::move(segments));
  if (sent.ok()) sent = co_await writer.Finish();
  sent.IgnoreError();
}

struct Report {
  std::string lines;
  std::vector<std::string> failed;
};

Report RunChecks(const Checks& checks, const Endpoint& endpoint, const http::Request& request) {
  Report report;
  Exclusions exclusions(request);
  for (const HealthCheck& check : checks) {
    if (!(check.*endpoint.member)) continue;
    if (exclusions.Take(check.name)) {
      StrAppend(&report.lines, "[+]", check.name, " excluded: ok\n");
      continue;
    }
    const absl::Status result = check.check();
    if (result.ok()) {
      StrAppend(&report.lines, "[+]", check.name, " ok\n");
      continue;
    }
    // Any client may ask for this path, so the reason is only logged.
    StrAppend(&report.lines, "[-]", check.name, " failed: reason withheld\n");
    report.failed.push_back(check.name);
    log::Verbose(2, "A health check failed",
                 {{"endpoint", endpoint.name},
                  {"check", check.name},
                  {"reason", result},
                  {"auditID", request.audit_id}});
  }
  if (!exclusions.unused().empty()) {
    StrAppend(&report.lines, "warn: some health checks cannot be excluded: no matches for \"",
              absl::StrJoin(exclusions.unused(), "\",\""), "\"\n");
  }
  return report;
}

VoidTask ServeEndpoint(const Checks& checks, const Endpoint& endpoint, http::Request& request,
                       http::ResponseWriter& writer) {
  Report report = RunChecks(checks, endpoint, request);
  if (!report.failed.empty()) {
    co_await filters::RespondText(writer, 500,
                                  StrCat(report.lines, endpoint.name, " check failed"));
    co_return;
  }
  if (request.Query("verbose") == nullptr) {
    co_await RespondOk(writer, "ok");
    co_return;
  }
  co_await RespondOk(writer, StrCat(report.lines, endpoint.name, " check passed\n"));
}

VoidTask ServeCheck(const HealthCheck& check, http::ResponseWriter& writer) {
  const absl::Status result = check.check();
  if (result.ok()) {
    co_await RespondOk(writer, "ok");
    co_return;
  }
  co_await filters::RespondText(writer, 500,
                                StrCat("internal server error: ", ToStd(result.message())));
}

VoidTask RespondNotFound(http::ResponseWriter& writer) {
  const absl::Status sent = co_await rest::RespondNoSuchPath(writer);
  sent.IgnoreError();
}

// The endpoint of a health path, and the path below it; null for other paths.
const Endpoint* Split(std::string_view path, std::string_view& below) {
  for (const Endpoint& endpoint : kEndpoints) {
    if (!path.starts_with('/') || !path.substr(1).starts_with(endpoint.name)) continue;
    below = path.substr(1 + endpoint.name.size());
    if (below.empty() || below.starts_with('/')) return &endpoint;
  }
  return nullptr;
}

VoidTask Serve(const Checks& checks, http::Request& request, http::ResponseWriter& writer) {
  std::string_view below;
  const Endpoint* endpoint = Split(request.path, below);
  if (endpoint == nullptr) return RespondNotFound(writer);
  if (below.empty()) return ServeEndpoint(checks, *endpoint, request, writer);
  below.remove_prefix(1);
  for (const HealthCheck& check : checks) {
    if (check.*endpoint->member && check.name == below) return ServeCheck(check, writer);
  }
  return RespondNotFound(writer);
}

}  // namespace

HealthCheck PingCheck() {
  HealthCheck ping;
  ping.name = "ping";
  ping.check = [] { return absl::OkStatus(); };
  return ping;
}

bool IsHealthPath(std::string_view path) {
  std::string_view below;
  return Split(path, below) != nullptr;
}

http::Handler HealthHandler(std::vector<HealthCheck> checks) {
  auto shared = std::make_shared<const Checks>(std::move(checks));
  return [shared](http::Request& request, http::ResponseWriter& writer) {
    return Serve(*shared, request, writer);
  };
}

}  // namespace steward::server
