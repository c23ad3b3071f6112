// The server's end of a WebSocket (RFC 6455): messages out, none in.
#ifndef APISERVER_HTTP_WEBSOCKET_H_
#define APISERVER_HTTP_WEBSOCKET_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "apiserver/http/message.h"
#include "apiserver/http/stream.h"
#include "apiserver/http/websocket_handshake.h"
#include "base/async/task.h"

namespace steward::http {

// On one executor, which must be the callers'. Listen may overlap with everything else; the rest is
// called one after the other. Cancelling one of the tasks does nothing by itself: Stop ends them.
// All have ended when the WebSocket is destroyed.
class WebSocket {
 public:
  // `stream` carries what follows the client's request, and outlives the WebSocket.
  WebSocket(const boost::asio::any_io_executor& executor, ByteStream& stream,
            size_t max_message_bytes);
  ~WebSocket();

  // Sends the 101, with these fields besides. Once, before everything else.
  StatusTask Accept(WebSocketHandshake handshake, Headers fields);

  // One text message, in one frame. Returns when the stream has taken it; an error: the client or
  // the WebSocket is gone.
  StatusTask Send(std::vector<Segment> message);

  // Sends a close frame (1000) and returns when the client has answered it by its own. Nothing may
  // be sent after it.
  StatusTask Close();

  // Takes what the client sends until there is no more: answers pings, drops messages. OK: a close
  // frame told the client of the end, be it the answer to its own or because it broke the protocol
  // (1002, 1007) or sent too long a message (1009). An error: the stream ended. After Close it ends
  // with that, by either.
  StatusTask Listen();

  // All that waits, and all that is called later, ends by an error. A message may stay cut.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_H_
