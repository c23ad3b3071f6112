#include "apiserver/server/debug_flags.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "apiserver/filters/request/status_response.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::server {
namespace {

constexpr int kMaxVerbosity = 10;
constexpr size_t kMaxBody = 1024;
constexpr size_t kMaxShown = 64;

VoidTask Respond(http::Request& request, http::ResponseWriter& writer) {
  if (request.method != "PUT") {
    co_await filters::RespondText(writer, 406, "unsupported http method");
    co_return;
  }
  if (request.incoming != nullptr) {
    absl::StatusOr<std::string> body = co_await request.incoming->Read(kMaxBody);
    request.incoming = nullptr;
    if (!body.ok()) {
      co_await filters::RespondText(
          writer, 400, StrCat("error reading request body: ", ToStd(body.status().message())));
      co_return;
    }
    request.body = *std::move(body);
  }
  int verbosity = 0;
  if (!absl::SimpleAtoi(request.body, &verbosity) || verbosity < 0 || verbosity > kMaxVerbosity) {
    const std::string shown = absl::Utf8SafeCEscape(request.body.substr(0, kMaxShown));
    co_await filters::RespondText(
        writer, 400,
        StrCat("failed to set the verbosity to \"", shown, "\": not a number from 0 to 10"));
    co_return;
  }
  log::SetVerbosity(verbosity);
  log::Info("The verbosity was changed",
            {{"v", verbosity}, {"user", request.user.name}, {"auditID", request.audit_id}});
  co_await filters::RespondText(writer, 200,
                                StrCat("successfully set klog.logging.verbosity to ", verbosity));
}

}  // namespace

http::Handler VerbosityHandler() {
  return
      [](http::Request& request, http::ResponseWriter& writer) { return Respond(request, writer); };
}

}  // namespace steward::server
