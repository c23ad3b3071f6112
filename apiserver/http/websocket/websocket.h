// The server's end of a WebSocket (RFC 6455) that sends messages and receives none. Lives on one
// executor.
#ifndef APISERVER_HTTP_WEBSOCKET_WEBSOCKET_H_
#define APISERVER_HTTP_WEBSOCKET_WEBSOCKET_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "apiserver/http/connection/stream.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/websocket/websocket_handshake.h"
#include "base/async/task.h"

namespace steward::http {

// The callers must run on its executor. Listen may overlap with all other calls; those are made one
// after the other. Cancelling one of the tasks has no effect by itself: Stop ends them. All must
// have ended when the WebSocket is destroyed.
class WebSocket {
 public:
  // `stream` carries the bytes behind the client's request, and outlives the WebSocket.
  WebSocket(const boost::asio::any_io_executor& executor, ByteStream& stream,
            size_t max_message_bytes);
  ~WebSocket();

  // Sends the 101, with these additional fields. To be called once, before all other calls.
  StatusTask Accept(WebSocketHandshake handshake, Headers fields);

  // Sends one text message, in one frame. Returns when the stream has taken it; an error means that
  // the client or the WebSocket is gone.
  StatusTask Send(std::vector<Segment> message);

  // Sends a close frame (1000) and returns when the client has answered with its own. Nothing may
  // be sent after it.
  StatusTask Close();

  // Receives the client's frames until the end: answers pings and drops messages. OK: the server
  // has sent a close frame, either to answer the client's or because the client violated the
  // protocol (1002, 1007) or sent too long a message (1009). An error: the stream has ended. After
  // Close, Listen ends in one of these ways, too.
  StatusTask Listen();

  // Ends all pending and later calls with an error. A message may be left incomplete.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_WEBSOCKET_H_
