// A response body that grows piece by piece, in bounded memory. Lives on the connection's executor.
#ifndef APISERVER_REST_ENCODING_BODY_STREAM_H_
#define APISERVER_REST_ENCODING_BODY_STREAM_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "base/splice/deflated_texts.h"
#include "base/splice/gzip_rope.h"
#include "base/splice/rope.h"

namespace steward::rest {

// True when the client accepts gzip in the only spelling that Kubernetes accepts: a token of
// Accept-Encoding that is exactly `gzip`, without parameters. A front proxy requests gzip even if
// its client did not, and then has to decompress the response. So exactly `gzip` from a front proxy
// counts only if the User-Agent is a Go program's, because most Go programs request gzip in this
// way.
bool AcceptsGzip(const http::Request& request);

// Converts bytes for ResponseWriter::Write.
std::vector<http::Segment> ToSegments(SplicedBytes bytes);
// True when enough is gathered to be sent: 64 KiB of text, or 1 MiB together with spliced text,
// which costs no memory.
bool IsFull(const Rope& buffer);

// Sends a body that never fills the buffer with its Content-Length, and a longer one in chunks.
// With `gzip`, compresses bodies above 128 KiB, and shorter ones only if `gzip` keeps compressed
// forms of most of their text.
//
// To use it, append to buffer(), call Flush whenever full(), and Finish once. Errors mean that the
// client is gone.
class BodyStream {
 public:
  static constexpr size_t kChunk = 64 * 1024;
  static constexpr size_t kSplicedChunk = 1024 * 1024;
  static constexpr size_t kGzipThreshold = 128 * 1024;

  // `head` has status and headers, but no length. `writer` and `gzip` outlive the stream; null
  // `gzip` means no compression.
  BodyStream(http::ResponseWriter& writer, http::ResponseHead head, DeflatedTexts* gzip);

  Rope& buffer() { return buffer_; }
  bool full() const;

  StatusTask Flush();
  StatusTask Finish();

 private:
  // Takes the buffer's content, compressed if `compressor_` is set.
  SplicedBytes TakeChunk(bool last);
  void Decide();

  http::ResponseWriter& writer_;
  http::ResponseHead head_;
  bool head_sent_ = false;
  DeflatedTexts* const gzip_;
  std::optional<GzipRope> compressor_;
  Rope buffer_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_BODY_STREAM_H_
