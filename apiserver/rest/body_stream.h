// Turns text that grows piece by piece into a response, in bounded memory.
#ifndef APISERVER_REST_BODY_STREAM_H_
#define APISERVER_REST_BODY_STREAM_H_

#include <cstddef>
#include <optional>
#include <string>

#include "apiserver/http/message.h"
#include "apiserver/rest/gzip.h"
#include "base/async/task.h"

namespace steward::rest {

// True when the client takes gzip in the one spelling that Kubernetes looks for: a token of
// Accept-Encoding that is exactly `gzip`, without parameters.
bool AcceptsGzip(const http::Request& request);

// A body that ends before it fills the buffer once is sent with its Content-Length; a longer one in
// chunks. With `gzip`, bodies above 128 KiB are compressed (level 1); shorter ones are not worth
// it.
//
// Use: append to buffer(), Flush whenever full(), Finish once. Errors mean that the client is gone.
class BodyStream {
 public:
  static constexpr size_t kChunk = 64 * 1024;
  static constexpr size_t kGzipThreshold = 128 * 1024;

  // `head` says status and headers, no length. `writer` outlives the stream.
  BodyStream(http::ResponseWriter& writer, http::ResponseHead head, bool gzip);

  std::string& buffer() { return buffer_; }
  bool full() const { return buffer_.size() >= limit_; }

  StatusTask Flush();
  StatusTask Finish();

 private:
  // Moves the buffer out, compressed if so decided.
  std::string TakeChunk(bool last);
  void Decide();

  http::ResponseWriter& writer_;
  http::ResponseHead head_;
  bool head_sent_ = false;
  bool gzip_;
  std::optional<GzipWriter> compressor_;
  size_t limit_;
  std::string buffer_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_BODY_STREAM_H_
