// The server's end of one TLS connection.
#ifndef APISERVER_HTTP_TLS_STREAM_H_
#define APISERVER_HTTP_TLS_STREAM_H_

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/deadline.h"
#include "apiserver/http/drain_deadline.h"
#include "apiserver/http/handshake_turns.h"
#include "apiserver/http/message.h"
#include "apiserver/http/stream.h"
#include "base/async/task.h"
#include "base/tls/server_context.h"

struct bio_method_st;
struct ssl_st;

namespace steward::http {

// OpenSSL works on the socket itself, without copies through buffers in between; while nothing
// arrives, neither it nor this class holds a record buffer.
class TlsStream final : public ByteStream {
 public:
  TlsStream(boost::asio::ip::tcp::socket socket, const SslContext& context, HandshakeTurns& turns,
            DeadlineSet& deadlines, absl::Duration write_window, size_t min_drain_rate);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // First of all, in turn with other connections' handshakes. A client that speaks plain HTTP is
  // told so in plain HTTP. The caller bounds its time by Abort.
  StatusTask Handshake();

  // Of the finished handshake: the ALPN protocol, "" for none; the client's certificates, null for
  // none.
  std::string_view protocol() const;
  std::shared_ptr<const PeerCertificates> peer() const;

  Task<std::string_view> Read() override;
  StatusTask Write(std::span<const std::string_view> pieces) override;
  void SetWriteWindow(absl::Duration window) override { write_window_ = window; }
  VoidTask Shutdown() override;
  void Abort() override;

 private:
  struct Bio;

  // Encrypts and sends records from the front of `chunk`, and takes from it what is done, until the
  // socket takes no more. `more`: the rest of a Write follows at once, so that the kernel may wait
  // for it. The result is OpenSSL's last, above 0 when all of the chunk is done.
  int WriteNow(std::string_view& chunk, bool more);
  // The same, until all is done.
  StatusTask WriteRest(std::string_view chunk, bool more, int result);
  // Waits for what OpenSSL asked for after `result` of the last call, or says why it failed.
  StatusTask WaitFor(int result);
  VoidTask Linger();
  VoidTask AnswerPlainHttp();

  boost::asio::ip::tcp::socket socket_;
  HandshakeTurns::Turn turn_;
  ssl_st* ssl_;
  int fd_;               // -1 once aborted
  bool at_end_ = false;  // the peer closed its TCP direction
  int reads_ = 0;        // since the reader last let others go first
  bool more_ = false;    // of the record under way
  bool failed_ = false;  // after a fatal TLS error nothing may be sent
  absl::Duration write_window_;
  DrainDeadline drain_;
  Deadline linger_deadline_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_TLS_STREAM_H_
