#include "apiserver/http/http1/http1_writer.h"

#include <boost/beast/http/status.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "apiserver/http/message/response_fields.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

constexpr size_t kSmallRest = 64 << 10;

std::string_view ReasonPhrase(int status) {
  const auto phrase = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(static_cast<unsigned>(status)));
  return {phrase.data(), phrase.size()};
}

}  // namespace

Http1Writer::Http1Writer(ByteStream& stream, const ConnectionEnv& env, const bool& closing,
                         Http1Framing framing, MemoryBudget::Lease& lease)
    : stream_(stream), env_(env), closing_(closing), framing_(framing), lease_(lease) {}

absl::Status Http1Writer::Misused(std::string_view what) {
  log::Error("A response was written wrongly; closing the connection", {{"why", what}});
  state_ = State::kBroken;
  return absl::FailedPreconditionError(StrCat(what));
}

void Http1Writer::ChooseBody(const ResponseHead& head) {
  remaining_ = head.content_length.value_or(0);
  if (framing_.head_request || !StatusAllowsBody(head.status)) {
    body_ = Body::kNone;
  } else if (head.content_length) {
    body_ = Body::kLength;
  } else if (framing_.knows_chunked) {
    body_ = Body::kChunked;
  } else {
    body_ = Body::kUntilClose;
  }
  if (closing_ || body_ == Body::kUntilClose || AsksForClose(head.headers))
    framing_.keep_alive = false;
}

void Http1Writer::FormatHead(const ResponseHead& head) {
  head_ = StrCat("HTTP/1.1 ", head.status, " ", ReasonPhrase(head.status), "\r\n");
  bool has_date = false;
  ForEachSentField(head.headers, [&](std::string_view name, std::string_view value) {
    StrAppend(&head_, name, ": ", value, "\r\n");
    has_date = has_date || name == "Date";
  });
  if (!has_date) StrAppend(&head_, "Date: ", env_.date.Now(), "\r\n");
  if (head.content_length && StatusAllowsBody(head.status)) {
    StrAppend(&head_, "Content-Length: ", *head.content_length, "\r\n");
  }
  if (body_ == Body::kChunked) head_ += "Transfer-Encoding: chunked\r\n";
  if (!framing_.keep_alive) {
    head_ += "Connection: close\r\n";
  } else if (!framing_.knows_chunked) {
    head_ += "Connection: keep-alive\r\n";
  }
  head_ += "\r\n";
}

StatusTask Http1Writer::WriteHead(ResponseHead head) {
  if (state_ != State::kHead) co_return Misused("the head was written twice");
  state_ = State::kBody;
  status_ = head.status;
  stream_.SetPace(HandlerPace(env_.limits, env_.timeouts));
  ChooseBody(head);
  FormatHead(head);
  // The head of a body of unknown length is sent at once, so that the client sees that its request
  // was accepted.
  if (body_ == Body::kChunked || body_ == Body::kUntilClose) co_return co_await Send({});
  co_return absl::OkStatus();
}

StatusTask Http1Writer::Send(std::vector<std::string_view> pieces) {
  const std::string head = std::move(head_);
  head_.clear();
  if (!head.empty()) pieces.insert(pieces.begin(), head);
  if (pieces.empty()) co_return absl::OkStatus();
  absl::Status status = co_await stream_.Write(pieces);
  if (!status.ok()) state_ = State::kBroken;
  co_return status;
}

StatusTask Http1Writer::Write(std::vector<Segment> segments) {
  if (state_ != State::kBody)
    co_return Misused("a body was written before its head or after its end");
  if (body_ == Body::kNone) co_return absl::OkStatus();
  uint64_t size = 0;
  for (const Segment& segment : segments) size += segment.bytes.size();
  if (size == 0) co_return absl::OkStatus();
  if (body_ == Body::kLength) {
    if (size > remaining_) co_return Misused("the body is longer than its Content-Length");
    remaining_ -= size;
  }
  written_ += size;
  const size_t own = OwnBytes(segments);
  if (body_ == Body::kLength && remaining_ == 0 && own <= kSmallRest && lease_.Grow(own)) {
    rest_ = std::move(segments);
    co_return absl::OkStatus();
  }
  // A settled watch holds no place while it waits. So the waiting bytes are leased instead.
  MemoryBudget::Lease waiting(lease_.share(), MemoryBudget::Use::kWatch);
  if (settled_ && own > kWatchOwnBytes && !waiting.Grow(own)) {
    env_.memory.CountResetWatch();
    state_ = State::kBroken;
    co_return absl::ResourceExhaustedError("no memory for what waits for this watch's client");
  }
  co_return co_await SendBody(segments, size);
}

StatusTask Http1Writer::SendBody(std::span<const Segment> segments, uint64_t size) {
  std::string chunk_head;
  std::vector<std::string_view> pieces;
  pieces.reserve(segments.size() + 3);
  if (body_ == Body::kChunked) {
    chunk_head = absl::StrFormat("%x\r\n", size);
    pieces.push_back(chunk_head);
  }
  for (const Segment& segment : segments) {
    if (!segment.bytes.empty()) pieces.push_back(segment.bytes);
  }
  if (body_ == Body::kChunked) pieces.push_back("\r\n");
  co_return co_await Send(std::move(pieces));
}

void Http1Writer::Settled() {
  settled_ = true;
  stream_.SetPace(WatchPace(env_.limits, env_.timeouts));
}

StatusTask Http1Writer::Finish() {
  if (state_ != State::kBody) co_return Misused("a response was ended before its head or twice");
  if (body_ == Body::kLength && remaining_ > 0)
    co_return Misused("the body is shorter than its Content-Length");
  if (body_ == Body::kChunked) rest_.push_back({"0\r\n\r\n", nullptr});
  state_ = State::kDone;
  co_return absl::OkStatus();
}

VoidTask Http1Writer::Flush() {
  if (state_ != State::kDone) co_return;
  std::vector<std::string_view> pieces;
  pieces.reserve(rest_.size() + 1);
  for (const Segment& segment : rest_) {
    if (!segment.bytes.empty()) pieces.push_back(segment.bytes);
  }
  stream_.SetPace(FinishPace(env_.limits, env_.timeouts));
  // An error shows in the state.
  (co_await Send(std::move(pieces))).IgnoreError();
}

}  // namespace steward::http
