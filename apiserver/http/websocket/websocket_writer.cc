#include "apiserver/http/websocket/websocket_writer.h"

#include <utility>

#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/websocket/websocket_handshake.h"
#include "base/async/race.h"
#include "base/status/macros.h"

namespace steward::http {
namespace asio = boost::asio;

WebSocketWriter::WebSocketWriter(const asio::any_io_executor& executor, ByteStream& stream,
                                 const ConnectionEnv& env, const Request& request,
                                 ResponseWriter& plain)
    : stream_(stream),
      env_(env),
      request_(request),
      plain_(plain),
      socket_(executor, stream, env.limits.max_websocket_message),
      changed_(executor) {}

StatusTask WebSocketWriter::WriteHead(ResponseHead head) {
  if (accepted_) co_return absl::FailedPreconditionError("the head was written twice");
  if (!head.websocket) {
    // RFC 6455 section 4.4: a client of another version is told which one to use.
    if (refused_) head.headers.Set("Sec-WebSocket-Version", "13");
    co_return co_await plain_.WriteHead(std::move(head));
  }
  // Parsed as late as possible: filters have removed the fields that do not belong to the
  // handshake.
  absl::StatusOr<WebSocketHandshake> handshake = ReadWebSocketHandshake(request_.headers);
  refused_ = !handshake.ok();
  if (refused_) co_return handshake.status();
  accepted_ = true;
  stream_.SetPace(HandlerPace(env_.limits, env_.timeouts));
  CO_RETURN_IF_ERROR(co_await socket_.Accept(*std::move(handshake), std::move(head.headers)));
  open_ = true;
  changed_.Notify();
  co_return absl::OkStatus();
}

StatusTask WebSocketWriter::Write(std::vector<Segment> segments) {
  if (!accepted_) co_return co_await plain_.Write(std::move(segments));
  if (finishing_) co_return absl::FailedPreconditionError("a message was written after the end");
  for (const Segment& segment : segments) written_ += segment.bytes.size();
  co_return co_await socket_.Send(std::move(segments));
}

StatusTask WebSocketWriter::Finish() {
  if (!accepted_) co_return co_await plain_.Finish();
  if (std::exchange(finishing_, true)) {
    co_return absl::FailedPreconditionError("a WebSocket was closed twice");
  }
  Deadline deadline(env_.deadlines, [this] { stream_.Abort(); });
  deadline.Set(env_.timeouts.close);
  const absl::Status status = co_await socket_.Close();
  if (status.ok()) closed_ = true;
  // Otherwise the client may have closed it at the same time, with the same effect.
  co_return closed_ ? absl::OkStatus() : status;
}

void WebSocketWriter::Settled() {
  if (accepted_) stream_.SetPace(WatchPace(env_.limits, env_.timeouts));
}

VoidTask WebSocketWriter::Listen() { co_await UntilOneEnds(Drain(), StopInTheEnd()); }

VoidTask WebSocketWriter::Drain() {
  while (!open_) co_await changed_.Wait();
  const absl::Status status = co_await socket_.Listen();
  if (status.ok()) closed_ = true;
  // Finish ends by itself, which must not look as if the client had broken the connection.
  while (finishing_) co_await changed_.Wait();
}

VoidTask WebSocketWriter::StopInTheEnd() {
  struct Stopper {
    ~Stopper() { socket.Stop(); }
    WebSocket& socket;
  } stopper{socket_};
  for (;;) co_await changed_.Wait();
}

}  // namespace steward::http
