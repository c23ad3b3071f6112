// The HTTP/2 protocol state machine (nghttp2) of a server, without I/O. Not thread-safe.
#ifndef APISERVER_HTTP_HTTP2_HTTP2_SESSION_H_
#define APISERVER_HTTP_HTTP2_HTTP2_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/http/http2/http2_stream_history.h"
#include "apiserver/http/http2/output_batch.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/message.h"

struct nghttp2_session;

namespace steward::http {

// Error codes of RFC 9113 section 7 that this server sends.
enum class Http2Error : uint32_t {
  kNone = 0,
  kInternal = 2,
  kRefusedStream = 7,
  kCancel = 8,
};

// Protocol errors, flow control, HPACK, PING and SETTINGS are handled here. Each of these floods
// ends the connection: more than 1,000 queued acknowledgements; headers that exceed the limit of
// fields several times over; and, unless the connection carries many users' requests
// (Limits::many_users), resets beyond a burst of 2,000 and 200 per second. Receive and Gather call
// the delegate, which may then call only Reset and Consume.
class Http2Session {
 public:
  class Delegate {
   public:
    virtual ~Delegate() = default;
    // A new request. False refuses it: no further calls concern it.
    virtual bool OnBegin(int32_t id) = 0;
    // One field of the request's header, pseudo-header fields included; the value may begin and end
    // with white space. False: the request is refused, and its remaining fields are irrelevant.
    virtual bool OnField(int32_t id, std::string_view name, std::string_view value) = 0;
    virtual void OnHead(int32_t id, bool end_of_request) = 0;
    virtual void OnBody(int32_t id, std::string_view bytes) = 0;
    // Called after OnHead, and after all of OnBody.
    virtual void OnEnd(int32_t id) = 0;
    // Called when the response's last frame was gathered.
    virtual void OnResponseEnd(int32_t id) = 0;
    // The last call for a request. `clean`: the stream was closed neither by an error nor by a
    // reset.
    virtual void OnClosed(int32_t id, bool clean) = 0;
    virtual void OnPingAck() = 0;

    struct Available {
      size_t bytes = 0;
      bool end = false;  // of the response, after these bytes
    };
    // The body bytes available now, at most `max`. When there are none and no end, ResumeBody must
    // be called once there are.
    virtual Available BodyAvailable(int32_t id, size_t max) = 0;
    // Moves the next `bytes` of the body to `batch`; false when there is no such stream.
    virtual bool TakeBody(int32_t id, size_t bytes, OutputBatch& batch) = 0;
  };

  // Both references outlive the session.
  Http2Session(const Limits& limits, Delegate& delegate);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Processes bytes from the client. An error ends the connection without a further message.
  absl::Status Receive(std::string_view bytes);

  // Appends the bytes to send now to `batch`, up to about `max`.
  absl::Status Gather(size_t max, OutputBatch& batch);

  // Without `has_body` the response ends with its head.
  void SubmitHead(int32_t id, const ResponseHead& head, std::string_view date, bool has_body);
  void SubmitContinue(int32_t id);
  // Both report body bytes of OnBody as processed, so that the client may send as many more.
  // Consume counts them for the stream and the connection, ConsumeOnConnection for the connection
  // alone.
  void Consume(int32_t id, size_t bytes);
  void ConsumeOnConnection(size_t bytes);
  void ResumeBody(int32_t id);
  void Reset(int32_t id, Http2Error error);

  // Announces that the connection will end, and sends a ping. When the ping's answer arrives
  // (OnPingAck), every request has arrived that the client sent before it read the announcement. So
  // SubmitGoaway can then name the last request.
  void SubmitShutdownNotice();
  void SubmitGoaway();

  // The number of frames that wait to be gathered, without bodies.
  size_t queued_frames() const;
  // Returns the bytes of header fields that were decoded since the last call. They determine the
  // cost of Receive.
  size_t TakeDecoded() { return std::exchange(decoded_, 0); }
  // True when nothing more can be sent or received.
  bool finished() const;

 private:
  struct Callbacks;

  nghttp2_session* session_ = nullptr;
  Delegate& delegate_;
  const Limits& limits_;
  Http2StreamHistory history_;
  size_t block_fields_ = 0;  // of the header or trailer that is received now
  size_t block_bytes_ = 0;
  size_t refused_fields_ = 0;  // in total; with many users, of this header
  size_t decoded_ = 0;
  OutputBatch* batch_ = nullptr;  // during Gather
  size_t batch_max_ = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_HTTP2_SESSION_H_
