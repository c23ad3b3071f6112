#include "apiserver/http/http2/http2_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/response_fields.h"
#include "apiserver/http/message/target.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

// A Write returns when at most this much waits to be framed: enough to keep the connection busy
// while the handler produces the next piece.
constexpr size_t kLowWater = 64 << 10;
// If at most this many bytes of a response's end wait, not counting shared bytes, the handler need
// not stay until the client has taken them.
constexpr size_t kSmallRest = 64 << 10;
// The memory of a stream besides the separately counted parts: its objects here and in nghttp2, and
// the handler's frames.
constexpr size_t kStreamMemory = 4 << 10;
// The bytes of a header that need not be counted yet: the streams of all threads share the
// counters.
constexpr size_t kLeaseStep = 2 << 10;
constexpr absl::Duration kLinger = absl::Seconds(2);

const HttpError kFine;

std::string_view Trimmed(std::string_view value) {
  const size_t first = value.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

}  // namespace

Http2Stream::Http2Stream(int32_t id, const boost::asio::any_io_executor& executor,
                         Http2StreamHost& host, const ConnectionEnv& env,
                         std::shared_ptr<MemoryBudget::Share> memory)
    : id_(id),
      host_(host),
      limits_(env.limits),
      timeouts_(env.timeouts),
      memory_(std::move(memory)),
      lease_(*memory_),
      watch_lease_(*memory_, MemoryBudget::Use::kWatch),
      budget_(env.memory),
      body_deadline_(
          env.deadlines,
          [this] { host_.SendReset(id_, complete() ? Http2Error::kNone : Http2Error::kCancel); }),
      changed_(executor),
      drain_(env.deadlines, [this] { GiveUp(); }) {
  request_.protocol = "HTTP/2.0";
  if (!lease_.Grow(kStreamMemory)) refusal = RequestMemoryExhausted();
}

HttpError Http2Stream::AddField(std::string_view name, std::string_view value) {
  if (name == ":path") {
    if (value.size() > limits_.max_target_bytes) return TargetTooLong(limits_);
  } else {
    constexpr size_t kFieldOverhead = 32;
    header_bytes_ += name.size() + value.size() + kFieldOverhead;
    if (!name.starts_with(':')) ++fields_;
    if (header_bytes_ > limits_.max_header_bytes || fields_ > limits_.max_header_fields) {
      return HeaderTooLarge(limits_);
    }
  }
  // A value is examined only after the limits have accepted it.
  value = Trimmed(value);
  unleased_ += name.size() + value.size() + kFieldMemory;
  if (unleased_ >= kLeaseStep && !LeaseHeader()) return RequestMemoryExhausted();
  if (name == ":method") {
    request_.method = std::string(value);
  } else if (name == ":path") {
    request_.target = std::string(value);
  } else if (name == ":authority") {
    authority_ = std::string(value);
  } else if (!name.starts_with(':')) {
    request_.headers.Add(std::string(name), std::string(value));
  }
  return kFine;
}

bool Http2Stream::LeaseHeader() { return lease_.Grow(std::exchange(unleased_, 0)); }

HttpError Http2Stream::EndHead(bool end_of_request, const PeerInfo& peer) {
  if (!end_of_request) request_.incoming = this;
  request_.remote_address = peer.remote_address;
  request_.peer = peer.certificates;
  request_.front_proxy = peer.front_proxy;
  if (!authority_.empty()) request_.headers.Set("Host", std::move(authority_));
  if (request_.method == "CONNECT") return {405, "MethodNotAllowed", "CONNECT is not supported"};
  auto target = ParseTarget(request_.target);
  if (!target.ok()) return {400, "BadRequest", std::string(target.status().message())};
  unleased_ += request_.target.size() + target->query.size() * kFieldMemory;
  if (!LeaseHeader()) return RequestMemoryExhausted();
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
  return kFine;
}

bool Http2Stream::AddBody(std::string_view bytes) {
  if (body_state_ == BodyState::kDropped) return false;
  std::string& body = request_.body;
  const bool wanted = body_state_ == BodyState::kWanted;
  if (wanted && bytes.size() > max_body_ - body.size()) {
    body_error_ = BodyTooLarge(max_body_);
  } else if (!GrowString(lease_, body, bytes.size())) {
    body_error_ = RequestMemoryExhausted();
  } else {
    body.append(bytes);
    if (wanted) {
      host_.LetIn(id_, bytes.size());
    } else {
      not_let_in_ += bytes.size();
    }
    return true;
  }
  body_state_ = BodyState::kDropped;
  changed_.Notify();
  return false;
}

size_t Http2Stream::DropBody() {
  body_state_ = BodyState::kDropped;
  return std::exchange(not_let_in_, 0);
}

Task<std::string> Http2Stream::Read(size_t max_bytes) {
  uint64_t announced = 0;
  const std::string* length = request_.headers.Find("Content-Length");
  if (length != nullptr && absl::SimpleAtoi(*length, &announced) && announced > max_bytes) {
    co_return ToStatus(BodyTooLarge(max_bytes));
  }
  if (request_.body.size() > max_bytes) co_return ToStatus(BodyTooLarge(max_bytes));
  if (body_state_ == BodyState::kUnasked) {
    body_state_ = BodyState::kWanted;
    max_body_ = max_bytes;
    if (receiving_) {
      body_deadline_.Set(timeouts_.body);
      if (expects_continue() && request_.body.empty()) host_.SendContinue(id_);
      host_.LetIn(id_, std::exchange(not_let_in_, 0));
    }
  }
  while (receiving_ && !closed_ && body_error_.code == 0) co_await changed_.Wait();
  if (closed_) co_return absl::UnavailableError("stream closed");
  if (body_error_.code != 0) co_return ToStatus(body_error_);
  co_return std::move(request_.body);
}

void Http2Stream::EndRequest() {
  receiving_ = false;
  body_deadline_.Clear();
  changed_.Notify();
}

void Http2Stream::Linger() { body_deadline_.Set(kLinger); }

bool Http2Stream::expects_continue() const {
  const std::string* expect = request_.headers.Find("Expect");
  return expect != nullptr && absl::EqualsIgnoreCase(*expect, "100-continue");
}

Http2Session::Delegate::Available Http2Stream::BodyAvailable(size_t max) const {
  const size_t bytes = std::min(max, queued_);
  return {bytes, state_ == State::kDone && bytes == queued_};
}

void Http2Stream::TakeBody(size_t bytes, OutputBatch& batch) {
  queued_ -= bytes;
  drain_.Took(bytes);
  while (bytes > 0) {
    Segment& segment = queue_[taken_segments_];
    const size_t n = std::min(bytes, segment.bytes.size());
    batch.Borrow(segment.bytes.substr(0, n), segment.owner);
    if (segment.owner != nullptr && !segment.shared) own_ -= n;
    segment.bytes.remove_prefix(n);
    if (segment.bytes.empty()) {
      segment.owner = nullptr;
      ++taken_segments_;
    }
    bytes -= n;
  }
  if (queued_ == 0) {
    ForgetQueue();
    drain_.End();
  }
  UncountQueue();
  if (queued_ <= kLowWater) changed_.Notify();
}

bool Http2Stream::CountQueue() {
  if (own_ <= counted_ || (settled_ && own_ <= kWatchOwnBytes)) return true;
  MemoryBudget::Lease& lease = settled_ ? watch_lease_ : lease_;
  if (!lease.Grow(own_ - counted_)) return false;
  counted_ = own_;
  return true;
}

void Http2Stream::UncountQueue() {
  // Only for watches, because other streams end soon. And not for each frame, but in steps.
  constexpr size_t kStep = 16 << 10;
  if (!settled_ || counted_ <= own_ || (own_ > 0 && counted_ - own_ < kStep)) return;
  watch_lease_.Shrink(counted_ - own_);
  counted_ = own_;
}

void Http2Stream::ResetWatch() {
  if (closed()) return;
  budget_.CountResetWatch();
  GiveUp();
}

void Http2Stream::Enqueue(std::vector<Segment> segments) {
  if (taken_segments_ == queue_.size()) {
    queue_ = std::move(segments);
    taken_segments_ = 0;
    return;
  }
  if (2 * taken_segments_ >= queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(taken_segments_));
    taken_segments_ = 0;
  }
  std::move(segments.begin(), segments.end(), std::back_inserter(queue_));
}

void Http2Stream::ForgetQueue() {
  // A stream that waits for its next bytes holds no room for them.
  queue_ = std::vector<Segment>();
  taken_segments_ = 0;
}

void Http2Stream::Close() {
  closed_ = true;
  body_deadline_.Clear();
  drain_.End();
  cut_off_ = queued_ > 0;
  ForgetQueue();
  queued_ = 0;
  own_ = 0;
  UncountQueue();
  changed_.Notify();
}

// The handler ends at once, because the reset may have to wait for the socket like all other data.
void Http2Stream::GiveUp() {
  given_up_ = true;
  changed_.Notify();
  host_.SendReset(id_, Http2Error::kCancel);
}

absl::Status Http2Stream::Misused(std::string_view what) {
  log::Error("A response was written wrongly; resetting its stream",
             {{"path", request_.path}, {"why", what}});
  if (!closed()) host_.SendReset(id_, Http2Error::kInternal);
  return absl::FailedPreconditionError(StrCat(what));
}

StatusTask Http2Stream::WriteHead(ResponseHead head) {
  if (closed()) co_return absl::UnavailableError("stream closed");
  if (state_ != State::kHead) co_return Misused("the head was written twice");
  state_ = State::kBody;
  status_ = head.status;
  has_length_ = head.content_length.has_value();
  remaining_ = head.content_length.value_or(0);
  const bool empty = has_length_ && remaining_ == 0;
  has_body_ = request_.method != "HEAD" && StatusAllowsBody(head.status) && !empty;
  host_.SendHead(id_, head, has_body_);
  if (AsksForClose(head.headers)) host_.CloseGracefully();
  co_return absl::OkStatus();
}

StatusTask Http2Stream::Write(std::vector<Segment> segments) {
  if (closed()) co_return absl::UnavailableError("stream closed");
  if (state_ != State::kBody)
    co_return Misused("a body was written before its head or after its end");
  size_t size = 0;
  for (const Segment& segment : segments) size += segment.bytes.size();
  if (size == 0) co_return absl::OkStatus();
  if (!has_body_) {
    const bool too_long = request_.method != "HEAD" && StatusAllowsBody(status_);
    if (too_long) co_return Misused("the body is longer than its Content-Length");
    co_return absl::OkStatus();
  }
  if (has_length_) {
    if (size > remaining_) co_return Misused("the body is longer than its Content-Length");
    remaining_ -= size;
  }
  std::erase_if(segments, [](const Segment& segment) { return segment.bytes.empty(); });
  if (queued_ == 0) {
    drain_.Begin(settled_ ? WatchPace(limits_, timeouts_) : HandlerPace(limits_, timeouts_));
  }
  own_ += OwnBytes(segments);
  Enqueue(std::move(segments));
  queued_ += size;
  written_ += size;
  host_.SendBody(id_);
  if (settled_ && !CountQueue()) ResetWatch();
  const bool last = has_length_ && remaining_ == 0;
  if (last && own_ <= kSmallRest && CountQueue()) co_return absl::OkStatus();
  while (queued_ > kLowWater && !closed()) co_await changed_.Wait();
  if (closed()) co_return absl::UnavailableError("stream closed");
  co_return absl::OkStatus();
}

void Http2Stream::Settled() {
  if (settled_ || closed()) return;
  // Before, the queue was not counted, because the watch held a place.
  settled_ = true;
  drain_.Change(WatchPace(limits_, timeouts_));
  if (!CountQueue()) ResetWatch();
}

StatusTask Http2Stream::Finish() {
  if (closed()) co_return absl::UnavailableError("stream closed");
  if (state_ != State::kBody) co_return Misused("a response was ended before its head or twice");
  if (has_body_ && has_length_ && remaining_ > 0)
    co_return Misused("the body is shorter than its Content-Length");
  state_ = State::kDone;
  if (has_body_) host_.SendBody(id_);
  if (queued_ == 0) co_return absl::OkStatus();
  // A small rest is leased, and sent after the handler has returned. While a larger rest waits for
  // the client, the request counts as running, so that the limits on requests bound the memory that
  // slow clients take.
  const bool small = own_ <= kSmallRest && CountQueue();
  drain_.Change(small || settled_ ? FinishPace(limits_, timeouts_)
                                  : HandlerPace(limits_, timeouts_));
  if (small) co_return absl::OkStatus();
  while (queued_ > 0 && !closed()) co_await changed_.Wait();
  if (cut_off_ || given_up_) co_return absl::UnavailableError("stream closed");
  co_return absl::OkStatus();
}

}  // namespace steward::http
