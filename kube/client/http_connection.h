// One HTTP/1.1 connection to the API server. Lives on its stream's executor; one call at a time.
#ifndef KUBE_CLIENT_HTTP_CONNECTION_H_
#define KUBE_CLIENT_HTTP_CONNECTION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/byte_stream.h"

namespace steward::kube {

struct ResponseHead {
  int status = 0;
  absl::Duration retry_after;         // of Retry-After in seconds; zero = absent or a date
  std::vector<std::string> warnings;  // bounded (warnings.h)
  std::optional<absl::Time> date;     // of Date
  // The last field of each name as sent; "" = absent.
  std::string content_type;
  std::string cache_control;
  std::string audit_id;
};

// Makes requests one after the other: Exchange, then ReadBody until it returns false. After an
// error, or a cancelled call, it may only be destroyed.
class HttpConnection {
 public:
  // The limit of the memory that a response's head may take.
  static constexpr size_t kMaxHeaderBytes = 64 << 10;

  explicit HttpConnection(std::unique_ptr<ByteStream> stream);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Sends a whole request, head and body, while `may_send` permits it, and returns the final
  // response's head. The arguments must stay until the task ends. kUnavailable when the connection
  // breaks or the peer does not speak HTTP. When the task is cancelled before the head has come,
  // the connection is reset: a request that was given up must not arrive later (R-000-78).
  Task<ResponseHead> Exchange(std::string_view request, const SendCheck& may_send);

  // Appends at least one byte of the body, at most 64 KiB at a time, to `out`; false at the body's
  // end. kUnavailable when the connection breaks before the end.
  Task<bool> ReadBody(std::string& out);

  // The body's length when the server announced it, else 0.
  size_t content_length() const;
  // True when any byte of the current response has arrived.
  bool response_began() const;
  // True when the response has been read to its end and another request may follow.
  bool reusable() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_HTTP_CONNECTION_H_
