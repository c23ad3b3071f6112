#include "apiserver/http/http1_connection.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/http/event.h"
#include "apiserver/http/http1_parser.h"
#include "apiserver/http/http1_writer.h"
#include "apiserver/http/message.h"
#include "apiserver/http/websocket_handshake.h"
#include "apiserver/http/websocket_writer.h"
#include "base/async/race.h"
#include "base/async/task.h"

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
        input_lease_(env.memory),
        deadline_(env.deadlines, [this] { stream_.Abort(); }) {}

  VoidTask Serve() override {
    // Whichever ends first ends the other: no client, no handler.
    co_await UntilOneEnds(AnswerRequests(), ReadInput());
    deadline_.Clear();
  }

  void BeginShutdown() override {
    closing_ = true;
    arrived_.Notify();
  }

 private:
  // The connection's bytes behind a request, for the protocol that it is upgraded to. The client's
  // end of stream is not seen here: it ends the connection.
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
    VoidTask Shutdown() override { return connection_.stream_.Shutdown(); }
    void Abort() override { connection_.stream_.Abort(); }

   private:
    Http1Connection& connection_;
    std::string taken_;
  };

  VoidTask ReadInput() {
    for (;;) {
      while (input().size() >= input_limit_) co_await drained_.Wait();
      const absl::StatusOr<std::string_view> bytes = co_await stream_.Read();
      if (!bytes.ok() || bytes->empty()) co_return;
      const bool ahead = input_.size() + bytes->size() > kReadAhead;
      if (ahead && !starved_) starved_ = !input_lease_.Grow(bytes->size());
      // What follows a gap must not be read as if it were none.
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
    deadline_.Set(env_.timeouts.header);
    for (;;) {
      MemoryBudget::Lease lease(env_.memory);
      Http1Parser parser(env_.limits, lease);
      input_limit_ = env_.limits.max_header_bytes + kReadAhead;
      drained_.Notify();
      const bool received = co_await Receive(parser);
      if (!received) co_return;
      input_limit_ = kReadAhead;
      const bool reusable = co_await Answer(parser);
      if (!reusable) co_return;
      deadline_.Set(env_.timeouts.idle);
    }
  }

  // True when a request is there, false when none will come; what is wrong with it was answered
  // then.
  asio::awaitable<bool> Receive(Http1Parser& parser) {
    bool begun = false;
    for (;;) {
      if (starved_) {
        co_await Refuse(RequestMemoryExhausted());
        co_return false;
      }
      if (!begun && !input().empty()) {
        begun = true;
        deadline_.Set(env_.timeouts.header);
      }
      size_t consumed = 0;
      const Http1Parser::Progress progress = parser.Parse(input(), consumed);
      Consume(consumed);
      if (progress == Http1Parser::Progress::kDone) {
        deadline_.Clear();
        co_return true;
      }
      if (progress == Http1Parser::Progress::kError) {
        co_await Refuse(parser.error());
        co_return false;
      }
      if (progress == Http1Parser::Progress::kHead) {
        deadline_.Set(env_.timeouts.body);
        const bool invite = parser.expects_continue() && input().empty();
        if (invite) {
          const std::string_view answer[] = {"HTTP/1.1 100 Continue\r\n\r\n"};
          const absl::Status status = co_await stream_.Write(answer);
          if (!status.ok()) co_return false;
        }
        continue;
      }
      const uint64_t seen = received_;
      while (received_ == seen) {
        if (closing_ && !begun) co_return false;
        co_await arrived_.Wait();
      }
    }
  }

  VoidTask Refuse(const HttpError& error) {
    deadline_.Clear();
    Http1Writer writer(stream_, env_.date, closing_, Http1Framing());
    (co_await RespondError(env_, writer, error, true)).IgnoreError();
  }

  // True when the connection can carry another request.
  asio::awaitable<bool> Answer(Http1Parser& parser) {
    Request& request = parser.request();
    request.remote_address = peer_.remote_address;
    request.peer = peer_.certificates;
    Http1Framing framing;
    framing.head_request = request.method == "HEAD";
    framing.knows_chunked = parser.knows_chunked();
    framing.keep_alive = parser.keep_alive();
    Http1Writer writer(stream_, env_.date, closing_, framing);
    request.websocket = framing.knows_chunked && AsksForWebSocket(request.headers);
    if (request.websocket) {
      const bool plainly = co_await AnswerUpgrade(request, writer);
      if (!plainly) co_return false;
    } else {
      co_await RunHandler(env_, request, writer);
    }
    // Only a cut connection tells the client that the rest is missing.
    if (!writer.complete()) stream_.Abort();
    co_return writer.reusable();
  }

  // True when the answer went to `plain`; otherwise the connection has served its time.
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
  uint64_t received_ = 0;  // ever
  bool starved_ = false;   // bytes had to be dropped: no more requests
  bool closing_ = false;
  Event arrived_;
  Event drained_;
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
