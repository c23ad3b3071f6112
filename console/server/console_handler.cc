#include "console/server/console_handler.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/filters/errors.h"
#include "apiserver/filters/request/status_response.h"
#include "apiserver/server/health.h"
#include "base/async/task.h"
#include "base/text/str_cat.h"
#include "console/server/api_request.h"
#include "console/server/file_handler.h"

namespace steward::console {
namespace json = boost::json;
namespace {

constexpr char kConfigPath[] = "/console-config.json";

http::Headers PageHeaders() {
  http::Headers headers;
  headers.Add("Content-Security-Policy",
              "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
              "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "
              "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  headers.Add("Referrer-Policy", "no-referrer");
  headers.Add("Cross-Origin-Opener-Policy", "same-origin");
  return headers;
}

std::string ConfigText(const StandaloneParts& parts) {
  json::object config;
  config["authentication"] = NameOf(parts.authentication);
  config["version"] = parts.version;
  return StrCat(json::serialize(config), "\n");
}

VoidTask RespondConfig(std::shared_ptr<const std::string> config, http::Request& request,
                       http::ResponseWriter& writer) {
  if (request.method != "GET" && request.method != "HEAD") {
    http::Headers headers;
    headers.Add("Allow", "GET, HEAD");
    co_await filters::RespondText(writer, 405, "only GET and HEAD", std::move(headers));
    co_return;
  }
  http::ResponseHead head;
  head.headers.Add("Content-Type", "application/json");
  head.headers.Add("Cache-Control", "no-store");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  head.content_length = config->size();
  absl::Status sent = co_await writer.WriteHead(std::move(head));
  const http::Segment segment = {*config, config, /*shared=*/true};
  if (sent.ok()) sent = co_await writer.Write({segment});
  if (sent.ok()) sent = co_await writer.Finish();
  sent.IgnoreError();  // the client is gone
}

http::Handler Health() { return server::HealthHandler({server::PingCheck()}); }

bool NamesThisMachine(const http::Request& request) {
  const auto hosts = request.headers.FindAll("Host");
  return hosts.size() == 1 && NamesLoopback(hosts.front());
}

}  // namespace

http::Handler PluginHandler(std::shared_ptr<const FileIndex> files) {
  return filters::WithErrors([health = Health(), serve = ServeFiles(std::move(files), {})](
                                 http::Request& request, http::ResponseWriter& writer) {
    return server::IsHealthPath(request.path) ? health(request, writer) : serve(request, writer);
  });
}

http::Handler StandaloneHandler(StandaloneParts parts) {
  const auto config = std::make_shared<const std::string>(ConfigText(parts));
  const bool only_here = parts.authentication == Authentication::kKubeconfig;
  // A path of the API server that is not passed on must not be answered with a page.
  http::Handler files = ServeFiles(parts.files, {.page = "/index.html", .headers = PageHeaders()});
  http::Handler no_pages = ServeFiles(parts.files, {.page = "", .headers = PageHeaders()});
  return filters::WithErrors(
      [config, only_here, health = Health(), api = std::move(parts.api), files = std::move(files),
       no_pages = std::move(no_pages)](http::Request& request, http::ResponseWriter& writer) {
        if (only_here && !NamesThisMachine(request)) {
          return filters::RespondText(writer, 403, "the Host of the request is not this machine");
        }
        if (server::IsHealthPath(request.path)) return health(request, writer);
        if (IsApiPath(request.path)) return api(request, writer);
        if (request.path == kConfigPath) return RespondConfig(config, request, writer);
        return IsServerPath(request.path) ? no_pages(request, writer) : files(request, writer);
      });
}

}  // namespace steward::console
