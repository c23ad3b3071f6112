// The server's end of one TCP connection without TLS, for listeners that only this machine or a
// trusted network can reach. Lives on one executor.
#ifndef APISERVER_HTTP_CONNECTION_PLAIN_STREAM_H_
#define APISERVER_HTTP_CONNECTION_PLAIN_STREAM_H_

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/drain_deadline.h"
#include "apiserver/http/limits/options.h"
#include "base/async/task.h"

namespace steward::http {

// Holds no buffer while no bytes arrive.
class PlainStream final : public ByteStream {
 public:
  PlainStream(boost::asio::ip::tcp::socket socket, DeadlineSet& deadlines, Pace pace);
  PlainStream(const PlainStream&) = delete;
  PlainStream& operator=(const PlainStream&) = delete;

  Task<std::string_view> Read() override;
  StatusTask Write(std::span<const std::string_view> pieces) override;
  void SetPace(Pace pace) override { pace_ = pace; }
  VoidTask Shutdown() override;
  void Abort() override;

 private:
  // Reads the next bytes into the thread's buffer; 0 at the peer's end.
  Task<size_t> ReadSome();
  StatusTask WriteAll(std::string_view piece);

  boost::asio::ip::tcp::socket socket_;
  int reads_ = 0;  // since the reader last let others go first
  Pace pace_;
  DrainDeadline drain_;
  Deadline linger_deadline_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_PLAIN_STREAM_H_
