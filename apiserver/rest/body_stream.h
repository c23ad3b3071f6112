// Turns text that grows piece by piece into a response, in bounded memory.
#ifndef APISERVER_REST_BODY_STREAM_H_
#define APISERVER_REST_BODY_STREAM_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "apiserver/http/message.h"
#include "base/async/task.h"
#include "base/splice/deflated_texts.h"
#include "base/splice/gzip_rope.h"
#include "base/splice/rope.h"

namespace steward::rest {

// True when the client takes gzip in the one spelling that Kubernetes looks for: a token of
// Accept-Encoding that is exactly `gzip`, without parameters. A front proxy asks for gzip by itself
// where its client did not, and would have to unpack the answer: what is exactly `gzip` counts as
// the client's wish only if the client is a program in Go, most of which ask for it in this way.
bool AcceptsGzip(const http::Request& request);

// For ResponseWriter::Write.
std::vector<http::Segment> ToSegments(SplicedBytes bytes);
// Whether so much is gathered that it should be sent: 64 KiB of text, or 1 MiB with what is spliced
// in, which costs no memory.
bool IsFull(const Rope& buffer);

// A body that ends before it fills the buffer once is sent with its Content-Length; a longer one in
// chunks. With `gzip`, bodies above 128 KiB are compressed; shorter ones are not worth it, unless
// most of them is at hand in compressed form.
//
// Use: append to buffer(), Flush whenever full(), Finish once. Errors mean that the client is gone.
class BodyStream {
 public:
  static constexpr size_t kChunk = 64 * 1024;
  static constexpr size_t kSplicedChunk = 1024 * 1024;
  static constexpr size_t kGzipThreshold = 128 * 1024;

  // `head` says status and headers, no length. `writer` and `gzip` outlive the stream; null `gzip`:
  // not to be compressed.
  BodyStream(http::ResponseWriter& writer, http::ResponseHead head, DeflatedTexts* gzip);

  Rope& buffer() { return buffer_; }
  bool full() const;

  StatusTask Flush();
  StatusTask Finish();

 private:
  // Moves the buffer out, compressed if so decided.
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

#endif  // APISERVER_REST_BODY_STREAM_H_
