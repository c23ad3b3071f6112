// The server's end of one TLS connection. Lives on one executor.
#ifndef APISERVER_HTTP_TLS_TLS_STREAM_H_
#define APISERVER_HTTP_TLS_TLS_STREAM_H_

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/drain_deadline.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/tls/handshake_turns.h"
#include "base/async/task.h"
#include "base/tls/server_context.h"

struct bio_method_st;
struct ssl_st;

namespace steward::http {

// OpenSSL works on the socket itself, without copies through intermediate buffers; while no bytes
// arrive, neither it nor this class holds a record buffer. No call of OpenSSL takes more than two
// buffers from the socket. Messages without data (handshakes, refused renegotiations, key updates)
// are bounded: see kMaxWithoutData and kMaxMessages.
class TlsStream final : public ByteStream {
 public:
  TlsStream(boost::asio::ip::tcp::socket socket, const SslContext& context, HandshakeTurns& turns,
            DeadlineSet& deadlines, Pace pace);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Must be the first call; takes turns with other connections' handshakes. A client that speaks
  // plain HTTP gets an answer in plain HTTP. The caller limits the time by Abort.
  StatusTask Handshake();

  // Results of the finished handshake: the ALPN protocol, "" for none; the client's certificates,
  // null for none.
  std::string_view protocol() const;
  std::shared_ptr<const PeerCertificates> peer() const;

  Task<std::string_view> Read() override;
  StatusTask Write(std::span<const std::string_view> pieces) override;
  void SetPace(Pace pace) override { pace_ = pace; }
  VoidTask Shutdown() override;
  void Abort() override;

 private:
  struct Bio;

  // To be called before each call of OpenSSL that may receive.
  void BeginCall() { receives_ = 0; }
  // Counts a message without data that came after the handshake.
  void CountMessage();
  // True: records that follow each other use one buffer.
  void KeepBuffer(bool keep);
  // Encrypts and sends records from the front of `chunk`, and removes the finished bytes from it,
  // until the socket accepts no more. `more`: the rest of a Write follows at once, so that the
  // kernel may wait for it. Returns OpenSSL's last result, above 0 when the whole chunk is done.
  int WriteNow(std::string_view& chunk, bool more);
  // Repeats WriteNow until the whole chunk is done.
  StatusTask WriteRest(std::string_view chunk, bool more, int result);
  // Waits for the event that OpenSSL needs after `result` of the last call, or returns the reason
  // of its failure.
  StatusTask WaitFor(int result);
  VoidTask Linger();
  VoidTask AnswerPlainHttp();

  boost::asio::ip::tcp::socket socket_;
  HandshakeTurns::Turn turn_;
  ssl_st* ssl_;
  int fd_;                   // -1 once aborted
  bool at_end_ = false;      // the peer closed its TCP direction
  bool drained_ = false;     // the socket was empty, and has not been waited for since
  int receives_ = 0;         // in the current call of OpenSSL
  size_t without_data_ = 0;  // bytes received since the last data
  bool open_ = false;        // the handshake is done
  int messages_ = 0;         // messages without data, in the same period as data_
  size_t data_ = 0;          // bytes of data in this period
  int reads_ = 0;            // since other work last had a turn
  bool more_ = false;        // more follows the current record
  bool keeps_buffer_ = false;
  bool failed_ = false;  // after a fatal TLS error nothing may be sent
  Pace pace_;
  DrainDeadline drain_;
  Deadline linger_deadline_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_TLS_TLS_STREAM_H_
