#include "apiserver/http/http2/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdlib>
#include <forward_list>
#include <iterator>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "apiserver/http/message/response_fields.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

constexpr size_t kFrameHeader = 9;
constexpr size_t kDefaultFrameSize = 16384;
// A frame with this body and its header fills one TLS record, and eight such frames fill one call
// of Gather.
constexpr size_t kMaxBody = kDefaultFrameSize - kFrameHeader;
// SETTINGS_MAX_HEADER_LIST_SIZE. nghttp2 closes the connection for a field above 64 KiB; compliant
// clients stay below.
constexpr size_t kMaxHeaderList = 63 << 10;
// A header may exceed its limit by this factor before it ends the connection: fields of HPACK's
// table cost the client a byte but are decoded whole, even when they are dropped.
constexpr size_t kPatience = 4;

std::string_view View(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

absl::Status SessionError(int code) {
  return absl::UnavailableError(StrCat("HTTP/2: ", nghttp2_strerror(code)));
}

// Submitting fails only when memory is exhausted, or for a stream that has ended meanwhile, which
// OnClosed reports.
void Check(int code) {
  if (code == NGHTTP2_ERR_NOMEM) std::abort();
  if (code < 0) log::Verbose(2, "nghttp2 refused a frame", {{"err", nghttp2_strerror(code)}});
}

nghttp2_nv Field(std::string_view name, std::string_view value,
                 uint8_t flags = NGHTTP2_NV_FLAG_NONE) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          flags};
}

// `name` is a literal in lower case, as nghttp2 requires with this flag.
nghttp2_nv KnownField(std::string_view name, std::string_view value) {
  return Field(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME);
}

// True for a field whose value differs in each response: in HPACK's table it would only displace
// other fields.
bool IsNeverTheSame(std::string_view name) {
  return absl::EqualsIgnoreCase(ToAbsl(name), "audit-id");
}

}  // namespace

struct Http2Session::Callbacks {
  static Http2Session& Self(void* user_data) { return *static_cast<Http2Session*>(user_data); }

  static bool IsRequestHead(const nghttp2_frame* frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
  }

  // nghttp2 ignores headers for streams that it has already dropped, whether they are legal or not.
  static int OnBeginFrame(nghttp2_session* session, const nghttp2_frame_hd* head, void* user_data) {
    Http2Session& self = Self(user_data);
    const int32_t id = head->stream_id;
    if (head->type != NGHTTP2_HEADERS || id % 2 == 0 || !self.history_.IsPast(id) ||
        nghttp2_session_find_stream(session, id) != nullptr) {
      return 0;
    }
    switch (self.history_.Judge(id)) {
      case Http2StreamHistory::Verdict::kLate:
        break;
      case Http2StreamHistory::Verdict::kEnded:
        Check(nghttp2_session_terminate_session(session, NGHTTP2_STREAM_CLOSED));
        break;
      case Http2StreamHistory::Verdict::kUnused:
        Check(nghttp2_session_terminate_session(session, NGHTTP2_PROTOCOL_ERROR));
        break;
    }
    return 0;
  }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Session& self = Self(user_data);
    self.block_fields_ = 0;
    self.block_bytes_ = 0;
    if (self.limits_.many_users) self.refused_fields_ = 0;
    if (!IsRequestHead(frame)) return 0;
    self.history_.Opened(frame->hd.stream_id);
    if (!self.delegate_.OnBegin(frame->hd.stream_id)) {
      self.Reset(frame->hd.stream_id, Http2Error::kRefusedStream);
    }
    return 0;
  }

  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user_data) {
    Http2Session& self = Self(user_data);
    const Limits& limits = self.limits_;
    ++self.block_fields_;
    self.block_bytes_ += name_size + value_size;
    self.decoded_ += name_size + value_size;
    // Fields of a trailer must never count as fields of the header.
    if (IsRequestHead(frame) && !self.delegate_.OnField(frame->hd.stream_id, View(name, name_size),
                                                        View(value, value_size))) {
      ++self.refused_fields_;
    }
    const size_t most = kPatience * limits.max_header_fields;
    if (self.block_fields_ <= most && self.refused_fields_ <= most &&
        self.block_bytes_ <= kPatience * (limits.max_target_bytes + limits.max_header_bytes)) {
      return 0;
    }
    Check(nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM));
    // The rest of the received bytes is not decoded.
    return NGHTTP2_ERR_PAUSE;
  }

  static int OnFrameReceived(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Session& self = Self(user_data);
    Delegate& delegate = self.delegate_;
    const bool end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (IsRequestHead(frame)) delegate.OnHead(frame->hd.stream_id, end);
    if (end && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA)) {
      self.history_.EndedByClient(frame->hd.stream_id);
      delegate.OnEnd(frame->hd.stream_id);
    }
    if (frame->hd.type == NGHTTP2_RST_STREAM) self.history_.EndedByClient(frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0)
      delegate.OnPingAck();
    return 0;
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    Self(user_data).delegate_.OnBody(id, View(data, size));
    return 0;
  }

  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    const bool end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (end && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA)) {
      Self(user_data).delegate_.OnResponseEnd(frame->hd.stream_id);
    }
    return 0;
  }

  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t error, void* user_data) {
    Self(user_data).delegate_.OnClosed(id, error == NGHTTP2_NO_ERROR);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t*, size_t max, uint32_t* flags,
                          nghttp2_data_source*, void* user_data) {
    const Delegate::Available available =
        Self(user_data).delegate_.BodyAvailable(id, std::min(max, kMaxBody));
    if (available.end) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (available.bytes == 0 && !available.end) return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return static_cast<ssize_t>(available.bytes);
  }

  static int SendBody(nghttp2_session*, nghttp2_frame* frame, const uint8_t* frame_header,
                      size_t size, nghttp2_data_source*, void* user_data) {
    Http2Session& self = Self(user_data);
    if (self.batch_->size() >= self.batch_max_) return NGHTTP2_ERR_WOULDBLOCK;
    self.batch_->Copy(View(frame_header, kFrameHeader));
    if (size > 0 && !self.delegate_.TakeBody(frame->hd.stream_id, size, *self.batch_)) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
  }

  static nghttp2_session_callbacks* Make() {
    nghttp2_session_callbacks* callbacks = nullptr;
    Check(nghttp2_session_callbacks_new(&callbacks));
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, OnBeginFrame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrameReceived);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, SendBody);
    return callbacks;
  }
};

Http2Session::Http2Session(const Limits& limits, Delegate& delegate)
    : delegate_(delegate), limits_(limits) {
  nghttp2_session_callbacks* callbacks = Callbacks::Make();
  nghttp2_option* option = nullptr;
  Check(nghttp2_option_new(&option));
  nghttp2_option_set_no_closed_streams(option, 1);
  // The delegate trims white space around a value, as in HTTP/1.1 and as Go's servers do: a reset
  // would make Go's clients retry again and again.
  nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);
  nghttp2_option_set_max_outbound_ack(option, 1000);
  // The actions of one of many users must not end the connection of all.
  const bool resets_limited = !limits.many_users;
  nghttp2_option_set_stream_reset_rate_limit(option, resets_limited ? 2000 : UINT64_MAX,
                                             resets_limited ? 200 : UINT64_MAX);
  // The largest allowed header needs this many; a few more are granted.
  const size_t max_header_list = limits.max_target_bytes + limits.max_header_bytes;
  nghttp2_option_set_max_continuations(option, max_header_list / kDefaultFrameSize + 8);
  nghttp2_option_set_no_auto_window_update(option, 1);
  Check(nghttp2_session_server_new2(&session_, callbacks, this, option));
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);

  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_concurrent_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<uint32_t>(std::min(max_header_list, kMaxHeaderList))},
  };
  Check(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)));
  Check(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                              static_cast<int32_t>(limits.connection_window)));
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

absl::Status Http2Session::Receive(std::string_view bytes) {
  const ssize_t n = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return n < 0 ? SessionError(static_cast<int>(n)) : absl::OkStatus();
}

absl::Status Http2Session::Gather(size_t max, OutputBatch& batch) {
  batch_ = &batch;
  batch_max_ = max;
  ssize_t n = 0;
  while (batch.size() < max) {
    const uint8_t* data = nullptr;
    n = nghttp2_session_mem_send(session_, &data);
    if (n <= 0) break;
    batch.Copy(View(data, static_cast<size_t>(n)));
  }
  batch_ = nullptr;
  return n < 0 ? SessionError(static_cast<int>(n)) : absl::OkStatus();
}

void Http2Session::SubmitHead(int32_t id, const ResponseHead& head, std::string_view date,
                              bool has_body) {
  const std::string status = absl::StrCat(head.status);
  const std::string length = absl::StrCat(head.content_length.value_or(0));
  std::forward_list<std::string> cleaned;  // until nghttp2 has copied them
  absl::InlinedVector<nghttp2_nv, 16> list;
  list.push_back(KnownField(":status", status));
  bool has_date = false;
  ForEachSentField(head.headers, cleaned, [&](std::string_view name, std::string_view value) {
    list.push_back(
        Field(name, value, IsNeverTheSame(name) ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE));
    has_date = has_date || name == "Date";
  });
  if (!has_date) list.push_back(KnownField("date", date));
  if (head.content_length && StatusAllowsBody(head.status))
    list.push_back(KnownField("content-length", length));

  nghttp2_data_provider body;
  body.source.ptr = nullptr;
  body.read_callback = Callbacks::ReadBody;
  Check(
      nghttp2_submit_response(session_, id, list.data(), list.size(), has_body ? &body : nullptr));
}

void Http2Session::SubmitContinue(int32_t id) {
  const nghttp2_nv status = Field(":status", "100");
  Check(nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, &status, 1, nullptr));
}

void Http2Session::Consume(int32_t id, size_t bytes) {
  Check(nghttp2_session_consume(session_, id, bytes));
}

void Http2Session::ConsumeOnConnection(size_t bytes) {
  Check(nghttp2_session_consume_connection(session_, bytes));
}

void Http2Session::ResumeBody(int32_t id) {
  // A failure means that the body is not waiting, which is harmless.
  nghttp2_session_resume_data(session_, id);
}

void Http2Session::Reset(int32_t id, Http2Error error) {
  Check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, static_cast<uint32_t>(error)));
}

void Http2Session::SubmitShutdownNotice() {
  Check(nghttp2_submit_shutdown_notice(session_));
  Check(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr));
}

void Http2Session::SubmitGoaway() {
  Check(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                              nullptr, 0));
}

size_t Http2Session::queued_frames() const {
  return nghttp2_session_get_outbound_queue_size(session_);
}

bool Http2Session::finished() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

}  // namespace steward::http
