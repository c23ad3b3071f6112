#include "apiserver/http/http2/http2_connection.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/http2/http2_session.h"
#include "apiserver/http/http2/http2_stream.h"
#include "apiserver/http/http2/output_batch.h"
#include "apiserver/http/limits/memory_budget.h"
#include "base/async/race.h"
#include "base/async/yield.h"

namespace steward::http {
namespace asio = boost::asio;
namespace {

// The size of one write. It is only some TLS records, so that no stream waits long behind another.
constexpr size_t kBatch = 128 << 10;
// The limit of queued frames at which reading pauses: answers to a client's frames must not pile
// up.
constexpr size_t kMaxQueuedFrames = 4000;
// The number of streams of an ended connection that are ended before other work gets a turn: some
// hundred microseconds, since each of their handlers is cancelled.
constexpr size_t kEndsPerTurn = 8;
// The number of header bytes after which other work gets a turn before more is read.
constexpr size_t kDecodedPerTurn = 64 << 10;
// The time that the client has to answer the ping that precedes the last GOAWAY.
constexpr absl::Duration kShutdownNotice = absl::Seconds(1);

class Http2Connection final : public Connection,
                              public Http2Session::Delegate,
                              public Http2StreamHost,
                              public std::enable_shared_from_this<Http2Connection> {
 public:
  Http2Connection(const asio::any_io_executor& executor, ByteStream& stream,
                  const ConnectionEnv& env, PeerInfo peer)
      : executor_(executor),
        stream_(stream),
        env_(env),
        peer_(std::move(peer)),
        memory_(std::make_shared<MemoryBudget::Share>(
            env.memory, peer_.remote_address, env.limits.max_connection_memory, peer_.front_proxy)),
        session_(env.limits, *this),
        more_(executor),
        sent_(executor),
        idle_deadline_(env.deadlines, [this] { LastGoaway(); }),
        header_deadline_(env.deadlines, [this] { stream_.Abort(); }),
        goaway_deadline_(env.deadlines, [this] { LastGoaway(); }) {}

  VoidTask Serve() override {
    struct AtEnd {
      explicit AtEnd(Http2Connection& c) : connection(c) {}
      ~AtEnd() { connection.CloseStreams(); }
      Http2Connection& connection;
    } at_end(*this);
    idle_deadline_.Set(IdleTimeout());
    co_await UntilOneEnds(ReadInput(), WriteOutput());
  }

  void BeginShutdown() override {
    if (closing_) return;
    closing_ = true;
    session_.SubmitShutdownNotice();
    goaway_deadline_.Set(kShutdownNotice);
    Kick();
  }

 private:
  absl::Duration IdleTimeout() const {
    const bool known = authenticated_ || peer_.front_proxy;
    return known ? env_.timeouts.idle : env_.timeouts.idle_stranger;
  }

  VoidTask ReadInput() {
    for (;;) {
      while (session_.queued_frames() > kMaxQueuedFrames) co_await sent_.Wait();
      const absl::StatusOr<std::string_view> bytes = co_await stream_.Read();
      if (!bytes.ok() || bytes->empty()) co_return;
      const absl::Status status = session_.Receive(*bytes);
      if (!status.ok()) co_return;
      Kick();
      // Start handlers outside of nghttp2's callbacks, in which they could not answer. A few bytes
      // can cause much work, so other connections have their turn after each handler.
      if (!ready_.empty()) {
        std::vector<std::shared_ptr<Http2Stream>> ready = std::exchange(ready_, {});
        // The connection is not idle while any of them waits for its turn.
        std::optional<Running> busy;
        if (ready.size() > 1) busy.emplace(shared_from_this());
        for (size_t i = 0; i < ready.size(); ++i) {
          if (i > 0) co_await Yield();
          Start(std::exchange(ready[i], nullptr));
        }
      }
      if (session_.TakeDecoded() > kDecodedPerTurn) co_await Yield();
    }
  }

  VoidTask WriteOutput() {
    OutputBatch batch;
    for (;;) {
      dirty_ = false;
      absl::Status status = session_.Gather(kBatch, batch);
      if (!status.ok()) co_return;
      if (!batch.empty()) {
        status = co_await stream_.Write(batch.Pieces());
        if (!status.ok()) co_return;
        batch.Clear();
        sent_.Notify();
        continue;
      }
      if (session_.finished()) co_return;
      // An idle connection holds no buffer.
      batch = OutputBatch();
      while (!dirty_) co_await more_.Wait();
    }
  }

  // Wakes the writer, because there may be something to send.
  void Kick() {
    dirty_ = true;
    more_.Notify();
  }

  void LastGoaway() {
    closing_ = true;
    goaway_deadline_.Clear();
    session_.SubmitGoaway();
    Kick();
  }

  void Start(std::shared_ptr<Http2Stream> stream) {
    if (stream->closed()) return;
    const auto self = shared_from_this();
    stream->task = env_.tasks.Spawn(
        "http request", Contain(Run(self, stream, std::make_unique<Running>(self)), [self] {
          if (!self->ended_) self->stream_.Abort();
        }));
  }

  // Counts a handler from before its start to its end. A response that only waits for its client
  // does not count: it takes no place from others.
  class Running {
   public:
    explicit Running(std::shared_ptr<Http2Connection> connection)
        : connection_(std::move(connection)) {
      ++connection_->running_;
      connection_->env_.pass.Busy();
    }
    ~Running() {
      Http2Connection& c = *connection_;
      if (--c.running_ == 0 && !c.ended_) c.env_.pass.Idle(c.authenticated_);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    const std::shared_ptr<Http2Connection> connection_;
  };

  static VoidTask Run(std::shared_ptr<Http2Connection> self, std::shared_ptr<Http2Stream> stream,
                      [[maybe_unused]] std::unique_ptr<Running> running) {
    if (stream->refusal.code == 0) {
      co_await RunHandler(self->env_, stream->request(), *stream);
    } else {
      (co_await RespondError(self->env_, *stream, stream->refusal, false)).IgnoreError();
    }
    self->authenticated_ = self->authenticated_ || stream->request().authenticated;
    self->Ignore(*stream);
    if (!stream->answered() && !stream->closed())
      self->SendReset(stream->id(), Http2Error::kInternal);
  }

  // Drops the rest of the request's body, so that it does not keep other bodies from being
  // received.
  void Ignore(Http2Stream& stream) {
    const size_t bytes = stream.DropBody();
    if (bytes == 0 || ended_) return;
    session_.ConsumeOnConnection(bytes);
    Kick();
  }

  void CloseStreams() {
    idle_deadline_.Clear();
    header_deadline_.Clear();
    goaway_deadline_.Clear();
    ended_ = true;
    ready_.clear();
    found_ = nullptr;
    if (streams_.empty()) return;
    for (const auto& [id, stream] : streams_) stream->Disconnect();
    env_.tasks.Spawn("end of http streams", EndAll(shared_from_this()));
  }

  // Ends the streams, some in each turn of the thread, because a connection may have had a thousand
  // watches.
  static VoidTask EndAll(std::shared_ptr<Http2Connection> self) {
    size_t ended = 0;
    while (!self->streams_.empty()) {
      const std::shared_ptr<Http2Stream> stream = self->streams_.begin()->second;
      self->streams_.erase(self->streams_.begin());
      End(*stream, true);
      if (++ended % kEndsPerTurn == 0) co_await Yield();
    }
  }

  static void End(Http2Stream& stream, bool clean) {
    // A handler that has answered may still have work to finish.
    if (!clean || !stream.complete()) stream.task.Cancel();
    stream.Close();
  }

  // Null: there is none. Many fields and frames in a row are of one stream.
  Http2Stream* Find(int32_t id) {
    if (found_ == nullptr || found_->id() != id) {
      const auto it = streams_.find(id);
      found_ = it == streams_.end() ? nullptr : it->second.get();
    }
    return found_;
  }

  // The implementation of Http2Session::Delegate.
  bool OnBegin(int32_t id) override {
    header_stream_ = id;
    header_deadline_.Set(env_.timeouts.header);
    if (running_ >= env_.limits.max_concurrent_streams) return false;
    idle_deadline_.Clear();
    auto stream = std::make_shared<Http2Stream>(id, executor_, *this, env_, memory_);
    found_ = stream.get();
    streams_.emplace(id, std::move(stream));
    return true;
  }
  bool OnField(int32_t id, std::string_view name, std::string_view value) override {
    Http2Stream* const stream = Find(id);
    if (stream == nullptr) return true;
    if (stream->refusal.code != 0) return false;
    stream->refusal = stream->AddField(name, value);
    return true;
  }
  void OnHead(int32_t id, bool end_of_request) override {
    header_deadline_.Clear();
    const auto it = streams_.find(id);
    if (it == streams_.end()) return;
    const std::shared_ptr<Http2Stream>& stream = it->second;
    HttpError error = stream->EndHead(end_of_request, peer_);
    if (stream->refusal.code == 0) stream->refusal = std::move(error);
    ready_.push_back(stream);
  }
  void OnBody(int32_t id, std::string_view bytes) override {
    Http2Stream* const stream = Find(id);
    const bool kept = stream != nullptr && stream->refusal.code == 0 && stream->AddBody(bytes);
    if (!kept) session_.ConsumeOnConnection(bytes.size());
  }
  void OnEnd(int32_t id) override {
    Http2Stream* const stream = Find(id);
    if (stream != nullptr) stream->EndRequest();
  }
  void OnResponseEnd(int32_t id) override {
    Http2Stream* const stream = Find(id);
    if (stream != nullptr && stream->receiving()) stream->Linger();
  }
  void OnClosed(int32_t id, bool clean) override {
    // OnHead is never called for a malformed header.
    if (id == header_stream_) header_deadline_.Clear();
    const auto it = streams_.find(id);
    if (it == streams_.end()) return;
    const std::shared_ptr<Http2Stream> stream = std::move(it->second);
    streams_.erase(it);
    found_ = nullptr;
    Ignore(*stream);
    authenticated_ = authenticated_ || stream->request().authenticated;
    End(*stream, clean);
    if (streams_.empty()) idle_deadline_.Set(IdleTimeout());
  }
  void OnPingAck() override {
    if (goaway_deadline_.armed()) LastGoaway();
  }
  Available BodyAvailable(int32_t id, size_t max) override {
    const Http2Stream* const stream = Find(id);
    return stream == nullptr ? Available{} : stream->BodyAvailable(max);
  }
  bool TakeBody(int32_t id, size_t bytes, OutputBatch& batch) override {
    Http2Stream* const stream = Find(id);
    if (stream != nullptr) stream->TakeBody(bytes, batch);
    return stream != nullptr;
  }

  // The implementation of Http2StreamHost.
  void SendHead(int32_t id, const ResponseHead& head, bool has_body) override {
    if (ended_) return;
    session_.SubmitHead(id, head, env_.date.Now(), has_body);
    Kick();
  }
  void SendBody(int32_t id) override {
    if (ended_) return;
    session_.ResumeBody(id);
    Kick();
  }
  void SendReset(int32_t id, Http2Error error) override {
    if (ended_) return;
    session_.Reset(id, error);
    Kick();
  }
  void SendContinue(int32_t id) override {
    if (ended_) return;
    session_.SubmitContinue(id);
    Kick();
  }
  void LetIn(int32_t id, size_t bytes) override {
    if (ended_ || bytes == 0) return;
    session_.Consume(id, bytes);
    Kick();
  }
  void CloseGracefully() override {
    if (!ended_) BeginShutdown();
  }

  const asio::any_io_executor executor_;
  ByteStream& stream_;
  const ConnectionEnv env_;
  const PeerInfo peer_;
  const std::shared_ptr<MemoryBudget::Share> memory_;
  std::unordered_map<int32_t, std::shared_ptr<Http2Stream>> streams_;  // open ones
  Http2Stream* found_ = nullptr;                                       // by the last Find
  std::vector<std::shared_ptr<Http2Stream>> ready_;                    // to be answered
  size_t running_ = 0;  // includes the handlers of closed streams
  Http2Session session_;
  Event more_;
  Event sent_;
  bool dirty_ = false;
  bool closing_ = false;
  bool ended_ = false;          // stream_ may be destroyed
  bool authenticated_ = false;  // a request was authenticated
  Deadline idle_deadline_;
  Deadline header_deadline_;  // for the header of header_stream_
  int32_t header_stream_ = 0;
  Deadline goaway_deadline_;
};

}  // namespace

std::shared_ptr<Connection> MakeHttp2Connection(const asio::any_io_executor& executor,
                                                ByteStream& stream, const ConnectionEnv& env,
                                                PeerInfo peer) {
  return std::make_shared<Http2Connection>(executor, stream, env, std::move(peer));
}

}  // namespace steward::http
