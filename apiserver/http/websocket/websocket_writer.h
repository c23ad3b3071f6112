// The response to a request for a WebSocket: a WebSocket or a plain response. Lives on the
// connection's executor.
#ifndef APISERVER_HTTP_WEBSOCKET_WEBSOCKET_WRITER_H_
#define APISERVER_HTTP_WEBSOCKET_WEBSOCKET_WRITER_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <vector>

#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/websocket/websocket.h"
#include "base/async/task.h"

namespace steward::http {

// The handler chooses by ResponseHead::websocket. Finish waits for the client to close its end, but
// no longer than Timeouts::close, after which the stream is aborted.
class WebSocketWriter final : public ResponseWriter {
 public:
  // `stream` carries the bytes behind the request; `plain` writes a response that is no WebSocket.
  // All references outlive the writer.
  WebSocketWriter(const boost::asio::any_io_executor& executor, ByteStream& stream,
                  const ConnectionEnv& env, const Request& request, ResponseWriter& plain);

  StatusTask WriteHead(ResponseHead head) override;
  StatusTask Write(std::vector<Segment> segments) override;
  StatusTask Finish() override;
  void Settled() override;
  int status() const override { return accepted_ ? 101 : plain_.status(); }
  uint64_t bytes_written() const override { return accepted_ ? written_ : plain_.bytes_written(); }

  // Must run beside the handler. Ends only if the client has closed the WebSocket or violated the
  // protocol; then the caller must cancel the handler. Cancelling Listen also ends the handler's
  // calls.
  VoidTask Listen();

  // True when the connection became a WebSocket's, and can carry no other request.
  bool accepted() const { return accepted_; }
  // True when a close frame was sent, and everything before it: the client lacks only the end of
  // the stream.
  bool closed() const { return closed_; }

 private:
  VoidTask Drain();
  VoidTask StopInTheEnd();

  ByteStream& stream_;
  const ConnectionEnv& env_;
  const Request& request_;
  ResponseWriter& plain_;
  WebSocket socket_;
  Event changed_;
  bool refused_ = false;
  bool accepted_ = false;
  bool open_ = false;  // the 101 was sent
  bool finishing_ = false;
  bool closed_ = false;
  uint64_t written_ = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_WEBSOCKET_WRITER_H_
