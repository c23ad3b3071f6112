#include "apiserver/filters/audit/access_log.h"

#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "base/log/log.h"

namespace steward::filters {
namespace {

constexpr int kLevel = 4;

// Logs when the request is over, also when it was cancelled.
class Line {
 public:
  Line(const http::Request& request, const http::ResponseWriter& writer, Clock& clock)
      : request_(request), writer_(writer), clock_(clock), start_(clock.Now()) {}
  ~Line() {
    if (!log::IsVerbose(kLevel)) return;
    const std::string* agent = request_.headers.Find("User-Agent");
    log::Verbose(kLevel, "HTTP",
                 {{"verb", request_.info.verb},
                  {"URI", request_.target},
                  {"latency", absl::FormatDuration(clock_.Now() - start_)},
                  {"userAgent", agent != nullptr ? *agent : ""},
                  {"user", request_.user.name},
                  {"audit-ID", request_.audit_id},
                  {"traceparent", request_.traceparent},
                  {"srcIP", request_.remote_address},
                  {"resp", writer_.status()}});
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

 private:
  const http::Request& request_;
  const http::ResponseWriter& writer_;
  Clock& clock_;
  const absl::Time start_;
};

VoidTask Serve(const http::Handler& next, Clock& clock, http::Request& request,
               http::ResponseWriter& writer) {
  Line line(request, writer, clock);
  co_await next(request, writer);
}

}  // namespace

http::Handler WithAccessLog(http::Handler next, Clock& clock) {
  return [next = std::move(next), &clock](http::Request& request, http::ResponseWriter& writer) {
    return Serve(next, clock, request, writer);
  };
}

}  // namespace steward::filters
