// The HTTP/2 protocol machine (nghttp2) of a server, without I/O.
#ifndef APISERVER_HTTP_HTTP2_SESSION_H_
#define APISERVER_HTTP_HTTP2_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/http/http2_stream_history.h"
#include "apiserver/http/message.h"
#include "apiserver/http/options.h"
#include "apiserver/http/output_batch.h"

struct nghttp2_session;

namespace steward::http {

// Error codes of RFC 9113 section 7 that this server sends.
enum class Http2Error : uint32_t {
  kNone = 0,
  kInternal = 2,
  kRefusedStream = 7,
  kCancel = 8,
};

// Protocol errors, flow control, HPACK, PING and SETTINGS are dealt with here. Against floods: at
// most 1,000 queued acknowledgements; a few times the fields that a header may have; resets by the
// client beyond a burst of 2,000 and 200 per second end the connection, unless it is many users'.
// Not thread-safe. Receive and Gather call the delegate; from there only Reset and Consume may be
// called back.
class Http2Session {
 public:
  class Delegate {
   public:
    virtual ~Delegate() = default;
    // A new request. False refuses it: nothing more is said about it.
    virtual bool OnBegin(int32_t id) = 0;
    // One field of its header, pseudo-header fields included; the value may begin and end with
    // white space. False: the request is refused, and its fields are nobody's.
    virtual bool OnField(int32_t id, std::string_view name, std::string_view value) = 0;
    virtual void OnHead(int32_t id, bool end_of_request) = 0;
    virtual void OnBody(int32_t id, std::string_view bytes) = 0;
    // After OnHead, and after all of OnBody.
    virtual void OnEnd(int32_t id) = 0;
    // The response's last frame was gathered.
    virtual void OnResponseEnd(int32_t id) = 0;
    // Last of all; `clean`: not by an error or a reset.
    virtual void OnClosed(int32_t id, bool clean) = 0;
    virtual void OnPingAck() = 0;

    struct Available {
      size_t bytes = 0;
      bool end = false;  // of the response, after these bytes
    };
    // Body bytes there now, `max` at most; none and no end: ResumeBody says when there are.
    virtual Available BodyAvailable(int32_t id, size_t max) = 0;
    // Moves the next `bytes` of the body to `batch`; false when there is no such stream.
    virtual bool TakeBody(int32_t id, size_t bytes, OutputBatch& batch) = 0;
  };

  // Both outlive the session.
  Http2Session(const Limits& limits, Delegate& delegate);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Bytes from the client. An error ends the connection without another word.
  absl::Status Receive(std::string_view bytes);

  // Adds what is to be sent now to `batch`, up to about `max` bytes.
  absl::Status Gather(size_t max, OutputBatch& batch);

  // Without `has_body` the response ends with its head.
  void SubmitHead(int32_t id, const ResponseHead& head, std::string_view date, bool has_body);
  void SubmitContinue(int32_t id);
  // Body bytes, of those that OnBody brought, that are out of the way: the client may send as many
  // more. On the stream as well as on the connection, or on the connection alone.
  void Consume(int32_t id, size_t bytes);
  void ConsumeOnConnection(size_t bytes);
  void ResumeBody(int32_t id);
  void Reset(int32_t id, Http2Error error);

  // Says that the connection will end, and pings: when the answer is there, every request that the
  // client sent before it knew has arrived, and SubmitGoaway can say which was the last.
  void SubmitShutdownNotice();
  void SubmitGoaway();

  // Frames that wait to be gathered, bodies aside.
  size_t queued_frames() const;
  // Bytes of header fields that were decoded since the last call: what Receive costs.
  size_t TakeDecoded() { return std::exchange(decoded_, 0); }
  // Nothing is to be sent or received any more.
  bool finished() const;

 private:
  struct Callbacks;

  nghttp2_session* session_ = nullptr;
  Delegate& delegate_;
  const Limits& limits_;
  Http2StreamHistory history_;
  size_t block_fields_ = 0;  // of the header or trailer that is received now
  size_t block_bytes_ = 0;
  size_t refused_fields_ = 0;  // ever; with many users, of this header
  size_t decoded_ = 0;
  OutputBatch* batch_ = nullptr;  // during Gather
  size_t batch_max_ = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_SESSION_H_
