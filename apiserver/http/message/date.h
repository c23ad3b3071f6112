// The Date header field. Not thread-safe: one object per thread.
#ifndef APISERVER_HTTP_MESSAGE_DATE_H_
#define APISERVER_HTTP_MESSAGE_DATE_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "base/clock/clock.h"

namespace steward::http {

// IMF-fixdate (RFC 9110 section 5.6.7), formatted once a second.
class HttpDate {
 public:
  explicit HttpDate(Clock& clock) : clock_(clock) {}

  const std::string& Now() {
    const absl::Time now = clock_.Now();
    if (const int64_t second = absl::ToUnixSeconds(now); second != second_) {
      second_ = second;
      text_ = absl::FormatTime("%a, %d %b %E4Y %H:%M:%S GMT", now, absl::UTCTimeZone());
    }
    return text_;
  }

 private:
  Clock& clock_;
  int64_t second_ = INT64_MIN;
  std::string text_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_MESSAGE_DATE_H_
