// Answers a request that asks for a WebSocket: by one, or plainly.
#ifndef APISERVER_HTTP_WEBSOCKET_WRITER_H_
#define APISERVER_HTTP_WEBSOCKET_WRITER_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <vector>

#include "apiserver/http/connection.h"
#include "apiserver/http/event.h"
#include "apiserver/http/message.h"
#include "apiserver/http/stream.h"
#include "apiserver/http/websocket.h"
#include "base/async/task.h"

namespace steward::http {

// The handler decides by ResponseHead::websocket. Finish waits for the client to close its end, but
// no longer than Timeouts::close: the stream is cut then.
class WebSocketWriter final : public ResponseWriter {
 public:
  // `stream`: what follows the request; `plain`: writes everything that is no WebSocket. All
  // outlive the writer.
  WebSocketWriter(const boost::asio::any_io_executor& executor, ByteStream& stream,
                  const ConnectionEnv& env, const Request& request, ResponseWriter& plain);

  StatusTask WriteHead(ResponseHead head) override;
  StatusTask Write(std::vector<Segment> segments) override;
  StatusTask Finish() override;
  int status() const override { return accepted_ ? 101 : plain_.status(); }
  uint64_t bytes_written() const override { return accepted_ ? written_ : plain_.bytes_written(); }

  // To be run beside the handler, who has to go when it ends: the client has closed the WebSocket
  // or broken its rules. Does not end otherwise. Cancelling it ends the handler's calls, too.
  VoidTask Listen();

  // Whether the connection became a WebSocket's, and can carry nothing else.
  bool accepted() const { return accepted_; }
  // Whether a close frame was sent, and all before it: the client lacks nothing but the end of the
  // stream.
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
  bool open_ = false;  // the 101 is out
  bool finishing_ = false;
  bool closed_ = false;
  uint64_t written_ = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_WRITER_H_
