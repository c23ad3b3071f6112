#include "apiserver/http/http1/http1_connection.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/http1/http1_parser.h"
#include "apiserver/http/http1/http1_writer.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/websocket/websocket_handshake.h"
#include "apiserver/http/websocket/websocket_writer.h"
#include "base/async/race.h"
#include "base/async/task.h"
#include "base/status/macros.h"

namespace steward::http {
namespace asio = boost::asio;
namespace {

constexpr size_t kReadAhead = 16 << 10;

class Http1Connection final : public Connection {
 public:
  Http1Connection(const asio::any_io_executor& executor, ByteStream& stream,
                  const ConnectionEnv& env, PeerInfo peer)
      : executor_(executor),
        stream_(stream),
        env_(env),
        peer_(std::move(peer)),
        arrived_(executor),
        drained_(executor),
        memory_(env.memory, peer_.remote_address, env.limits.max_connection_memory,
                peer_.front_proxy),
        input_lease_(memory_),
        deadline_(env.deadlines, [this] { stream_.Abort(); }) {}

  VoidTask Serve() override {
    // When one of the two ends, the other is cancelled: without a client the handler must stop, and
    // after the last answer nothing is left to read.
    co_await UntilOneEnds(AnswerRequests(), ReadInput());
    deadline_.Clear();
    Consume(input().size());
  }

  void BeginShutdown() override {
    closing_ = true;
    last_response_ = true;
    arrived_.Notify();
  }

 private:
  // The bytes behind a request, for the protocol to which the connection is upgraded. The client's
  // end of stream is not visible here: it ends the connection.
  class Upgraded final : public ByteStream {
   public:
    explicit Upgraded(Http1Connection& connection) : connection_(connection) {}

    Task<std::string_view> Read() override {
      Http1Connection& c = connection_;
      while (c.input().empty() && !c.starved_) co_await c.arrived_.Wait();
      if (c.starved_) co_return absl::ResourceExhaustedError("no memory to receive more");
      taken_ = c.input();
      c.Consume(taken_.size());
      co_return taken_;
    }
    StatusTask Write(std::span<const std::string_view> pieces) override {
      return connection_.stream_.Write(pieces);
    }
    void SetPace(Pace pace) override { connection_.stream_.SetPace(pace); }
    VoidTask Shutdown() override { return connection_.stream_.Shutdown(); }
    void Abort() override { connection_.stream_.Abort(); }

   private:
    Http1Connection& connection_;
    std::string taken_;
  };

  // The body of the request that is being answered.
  class Body final : public RequestBody {
   public:
    Body(Http1Connection& connection, Http1Parser& parser)
        : connection_(connection), parser_(parser) {}
    Task<std::string> Read(size_t max_bytes) override {
      return connection_.ReadBody(parser_, max_bytes);
    }

   private:
    Http1Connection& connection_;
    Http1Parser& parser_;
  };

  VoidTask ReadInput() {
    for (;;) {
      while (input().size() >= input_limit_) co_await drained_.Wait();
      const absl::StatusOr<std::string_view> bytes = co_await stream_.Read();
      if (!bytes.ok() || bytes->empty()) co_return;
      if (!starved_) starved_ = !GrowString(input_lease_, input_, bytes->size());
      // After bytes were dropped, later ones must not be parsed as if they followed directly.
      if (!starved_) input_.append(*bytes);
      received_ += bytes->size();
      arrived_.Notify();
    }
  }

  std::string_view input() const { return std::string_view(input_).substr(consumed_); }

  void Consume(size_t n) {
    consumed_ += n;
    if (consumed_ == input_.size()) {
      // An idle connection holds no buffer.
      std::string().swap(input_);
      input_lease_.Reset();
      consumed_ = 0;
    } else if (consumed_ > input_.size() / 2) {
      input_.erase(0, consumed_);
      consumed_ = 0;
    }
    drained_.Notify();
  }

  VoidTask AnswerRequests() {
    deadline_.Set(IdleTimeout());
    for (;;) {
      MemoryBudget::Lease lease(memory_);
      Http1Parser parser(env_.limits, lease);
      LetIn(env_.limits.max_target_bytes + env_.limits.max_header_bytes);
      const bool received = co_await Receive(parser, lease);
      if (!received) co_return;
      LetIn(0);
      env_.pass.Busy();
      const bool reusable = co_await Answer(parser, lease);
      if (!reusable) co_return;
      deadline_.Set(IdleTimeout());
    }
  }

  absl::Duration IdleTimeout() const {
    const bool known = authenticated_ || peer_.front_proxy;
    return known ? env_.timeouts.idle : env_.timeouts.idle_stranger;
  }

  // Sets how much may be received before it is parsed.
  void LetIn(size_t bytes) {
    input_limit_ = bytes + kReadAhead;
    drained_.Notify();
  }

  // True if a request's header has arrived. False if no header will come; an error in the header
  // has been answered already.
  asio::awaitable<bool> Receive(Http1Parser& parser, MemoryBudget::Lease& lease) {
    bool begun = false;
    for (;;) {
      if (starved_) {
        co_await Refuse(RequestMemoryExhausted(), lease);
        co_return false;
      }
      if (!begun && !input().empty()) {
        begun = true;
        deadline_.Set(env_.timeouts.header);
      }
      size_t consumed = 0;
      const Http1Parser::Progress progress = parser.Parse(input(), consumed);
      Consume(consumed);
      if (progress == Http1Parser::Progress::kError) {
        co_await Refuse(parser.error(), lease);
        co_return false;
      }
      if (progress != Http1Parser::Progress::kNeedMore) {
        deadline_.Clear();
        co_return true;
      }
      const uint64_t seen = received_;
      while (received_ == seen) {
        if (closing_ && !begun) co_return false;
        co_await arrived_.Wait();
      }
    }
  }

  Task<std::string> ReadBody(Http1Parser& parser, size_t max_bytes) {
    if (parser.done()) co_return std::move(parser.request().body);
    if (!parser.AllowBody(max_bytes)) co_return ToStatus(parser.error());
    // The deadline must be cleared even if the handler is cancelled meanwhile.
    struct Receiving {
      ~Receiving() { deadline.Clear(); }
      Deadline& deadline;
    } receiving{deadline_};
    deadline_.Set(env_.timeouts.body);
    LetIn(env_.limits.max_header_bytes);  // room for a chunk's extensions, and for trailers
    const bool invite = parser.expects_continue() && input().empty();
    if (invite) {
      const std::string_view answer[] = {"HTTP/1.1 100 Continue\r\n\r\n"};
      CO_RETURN_IF_ERROR(co_await stream_.Write(answer));
    }
    for (;;) {
      if (starved_) co_return ToStatus(RequestMemoryExhausted());
      size_t consumed = 0;
      const Http1Parser::Progress progress = parser.Parse(input(), consumed);
      Consume(consumed);
      if (progress == Http1Parser::Progress::kError) co_return ToStatus(parser.error());
      if (progress == Http1Parser::Progress::kDone) break;
      const uint64_t seen = received_;
      while (received_ == seen) co_await arrived_.Wait();
    }
    LetIn(0);
    last_response_ = closing_;
    co_return std::move(parser.request().body);
  }

  VoidTask Refuse(const HttpError& error, MemoryBudget::Lease& lease) {
    deadline_.Clear();
    Http1Writer writer(stream_, env_, last_response_, Http1Framing(), lease);
    (co_await RespondError(env_, writer, error, true)).IgnoreError();
    co_await writer.Flush();
  }

  // True when the connection can carry another request.
  asio::awaitable<bool> Answer(Http1Parser& parser, MemoryBudget::Lease& lease) {
    Request& request = parser.request();
    request.remote_address = peer_.remote_address;
    request.peer = peer_.certificates;
    request.front_proxy = peer_.front_proxy;
    Body body(*this, parser);
    if (!parser.done()) request.incoming = &body;
    // The connection can carry another request only if this request has been read whole, because
    // else the beginning of the next is unknown.
    last_response_ = closing_ || !parser.done();
    Http1Framing framing;
    framing.head_request = request.method == "HEAD";
    framing.knows_chunked = parser.knows_chunked();
    framing.keep_alive = parser.keep_alive();
    Http1Writer writer(stream_, env_, last_response_, framing, lease);
    request.websocket = framing.knows_chunked && parser.done() && AsksForWebSocket(request.headers);
    if (request.websocket) {
      const bool plainly = co_await AnswerUpgrade(request, writer);
      if (!plainly) co_return false;
    } else {
      co_await RunHandler(env_, request, writer);
    }
    authenticated_ = authenticated_ || request.authenticated;
    env_.pass.Idle(authenticated_);
    co_await writer.Flush();
    stream_.SetPace(WatchPace(env_.limits, env_.timeouts));
    // Only a cut connection tells the client that the rest is missing.
    if (!writer.complete()) stream_.Abort();
    co_return writer.reusable();
  }

  // True when the answer went to `plain`; otherwise the connection is finished.
  asio::awaitable<bool> AnswerUpgrade(Request& request, Http1Writer& plain) {
    Upgraded upgraded(*this);
    WebSocketWriter writer(executor_, upgraded, env_, request, plain);
    co_await UntilOneEnds(RunHandler(env_, request, writer), writer.Listen());
    if (writer.accepted() && !writer.closed()) stream_.Abort();
    co_return !writer.accepted();
  }

  const asio::any_io_executor executor_;
  ByteStream& stream_;
  const ConnectionEnv env_;
  const PeerInfo peer_;
  std::string input_;
  size_t consumed_ = 0;  // of input_
  size_t input_limit_ = kReadAhead;
  uint64_t received_ = 0;  // in total
  bool starved_ = false;   // bytes had to be dropped: no more requests
  bool closing_ = false;
  bool last_response_ = false;  // the next response is the connection's last
  bool authenticated_ = false;  // one of its requests was authenticated
  Event arrived_;
  Event drained_;
  MemoryBudget::Share memory_;
  MemoryBudget::Lease input_lease_;
  Deadline deadline_;
};

}  // namespace

std::shared_ptr<Connection> MakeHttp1Connection(const asio::any_io_executor& executor,
                                                ByteStream& stream, const ConnectionEnv& env,
                                                PeerInfo peer) {
  return std::make_shared<Http1Connection>(executor, stream, env, std::move(peer));
}

}  // namespace steward::http
