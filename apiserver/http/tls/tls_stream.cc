#include "apiserver/http/tls/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/yield.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/openssl_ptr.h"

namespace steward::http {
namespace asio = boost::asio;
namespace ip = boost::asio::ip;
using boost::asio::ip::tcp;

namespace {

constexpr size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;
constexpr absl::Duration kLinger = absl::Seconds(2);
// The number of reads in a row without waiting after which other work gets a turn: 256 KiB at most.
// A peer that always has more to send must not occupy the thread.
constexpr int kReadsPerTurn = 16;
// The number of receives, of a record's size each, after which a call of OpenSSL has to return.
// Else the call would go on as long as it receives only messages without data, or parts of a
// record.
constexpr int kReceivesPerCall = 2;
// The bytes that a client may send before the first data, and between data: four records.
constexpr size_t kMaxWithoutData = 64 << 10;
// The limit of messages without data for each MiB of data: key updates, and TLS 1.2's refused
// renegotiations. Such messages are short and cost much.
constexpr int kMaxMessages = 32;
constexpr size_t kMessagePeriod = 1 << 20;

// Each thread has one buffer: see ByteStream::Read.
char* ReadBuffer() {
  thread_local char buffer[kRecord];
  return buffer;
}

// Room for one record, taken from the thread's spare ones at first use: a large allocation for each
// write would cost more than the copying.
class RecordBuffer {
 public:
  RecordBuffer() = default;
  ~RecordBuffer() {
    if (buffer_ != nullptr && Spare().size() < kMaxSpare) Spare().push_back(std::move(buffer_));
  }
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;

  char* get() {
    if (buffer_ == nullptr && !Spare().empty()) {
      buffer_ = std::move(Spare().back());
      Spare().pop_back();
    }
    if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<char[]>(kRecord);
    return buffer_.get();
  }

 private:
  static constexpr size_t kMaxSpare = 8;
  static std::vector<std::unique_ptr<char[]>>& Spare() {
    thread_local std::vector<std::unique_ptr<char[]>> spare;
    return spare;
  }
  std::unique_ptr<char[]> buffer_;
};

std::string ToDer(X509* cert) {
  std::string der(static_cast<size_t>(std::max(0, i2d_X509(cert, nullptr))), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  i2d_X509(cert, &out);
  return der;
}

ip::address Source(const tcp::socket& socket) {
  boost::system::error_code ignored;
  return socket.remote_endpoint(ignored).address();
}

}  // namespace

// OpenSSL's own socket BIO would raise SIGPIPE, and would keep using a closed descriptor's number.
struct TlsStream::Bio {
  static int Read(BIO* bio, char* data, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (stream.fd_ < 0) return -1;
    // Waiting for the socket gives others a turn, and ends at once if there is more.
    if (stream.drained_ || stream.receives_ == kReceivesPerCall) {
      BIO_set_retry_read(bio);
      return -1;
    }
    ++stream.receives_;
    const ssize_t n = ::recv(stream.fd_, data, static_cast<size_t>(size), 0);
    if (n == 0) stream.at_end_ = true;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    if (n > 0) {
      stream.drained_ = n < size;
      stream.without_data_ += static_cast<size_t>(n);
      if (stream.without_data_ > kMaxWithoutData) {
        stream.Abort();
        return -1;
      }
    }
    return static_cast<int>(n);
  }
  static int Write(BIO* bio, const char* data, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (stream.fd_ < 0) return -1;
    const int flags = stream.more_ ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL;
    const ssize_t n = ::send(stream.fd_, data, static_cast<size_t>(size), flags);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return static_cast<int>(n);
  }
  static long Control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return static_cast<TlsStream*>(BIO_get_data(bio))->at_end_ ? 1 : 0;
    return 0;
  }
  static void OnMessage(int sent, int, int type, const void*, size_t, SSL*, void* stream) {
    if (sent == 0 && type == SSL3_RT_HANDSHAKE) static_cast<TlsStream*>(stream)->CountMessage();
  }
  static const BIO_METHOD* Method() {
    static const BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "steward socket");
      BIO_meth_set_read(made, Read);
      BIO_meth_set_write(made, Write);
      BIO_meth_set_ctrl(made, Control);
      return made;
    }();
    return method;
  }
};

TlsStream::TlsStream(tcp::socket socket, const SslContext& context, HandshakeTurns& turns,
                     DeadlineSet& deadlines, Pace pace)
    : socket_(std::move(socket)),
      turn_(turns, Source(socket_)),
      ssl_(SSL_new(context.get())),
      fd_(socket_.native_handle()),
      pace_(pace),
      drain_(deadlines, [this] { Abort(); }),
      linger_deadline_(deadlines, [this] { Abort(); }) {
  boost::system::error_code ignored;
  socket_.native_non_blocking(true, ignored);
  if (ssl_ == nullptr) {
    Abort();
    return;
  }
  BIO* bio = BIO_new(Bio::Method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  // HTTP delimits its messages itself, so an end without close_notify is a normal end.
  SSL_set_options(ssl_, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_set_msg_callback(ssl_, Bio::OnMessage);
  SSL_set_msg_callback_arg(ssl_, this);
  SSL_set_accept_state(ssl_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

void TlsStream::CountMessage() {
  if (!open_ || ++messages_ <= kMaxMessages) return;
  Abort();
  // OpenSSL drops what it has already received.
  SSL_set_shutdown(ssl_, SSL_get_shutdown(ssl_) | SSL_RECEIVED_SHUTDOWN);
}

StatusTask TlsStream::WaitFor(int result) {
  const int error = SSL_get_error(ssl_, result);
  if (fd_ < 0) {
    failed_ = true;
    ERR_clear_error();
    co_return absl::UnavailableError("connection aborted");
  }
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    const bool read = error == SSL_ERROR_WANT_READ;
    boost::system::error_code ec;
    co_await socket_.async_wait(read ? tcp::socket::wait_read : tcp::socket::wait_write,
                                asio::redirect_error(asio::use_awaitable, ec));
    if (read) drained_ = false;
    if (!ec) co_return absl::OkStatus();
    co_return absl::UnavailableError(ec.message());
  }
  failed_ = true;
  if (error == SSL_ERROR_ZERO_RETURN || at_end_)
    co_return absl::UnavailableError("connection closed");
  if (error == SSL_ERROR_SYSCALL) co_return absl::UnavailableError(std::strerror(errno));
  co_return absl::UnavailableError(TakeOpensslError());
}

StatusTask TlsStream::Handshake() {
  boost::system::error_code begun;
  co_await socket_.async_wait(tcp::socket::wait_read,
                              asio::redirect_error(asio::use_awaitable, begun));
  for (;;) {
    if (fd_ >= 0) co_await turn_.Wait();
    if (fd_ < 0) co_return absl::UnavailableError("connection aborted");
    ERR_clear_error();
    BeginCall();
    const int result = SSL_do_handshake(ssl_);
    if (result == 1) {
      open_ = true;
      co_return absl::OkStatus();
    }
    const bool plain_http = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
    const absl::Status status = co_await WaitFor(result);
    if (status.ok()) continue;
    if (plain_http) co_await AnswerPlainHttp();
    co_return status;
  }
}

VoidTask TlsStream::AnswerPlainHttp() {
  constexpr std::string_view kAnswer =
      "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
  if (fd_ < 0) co_return;
  // Sends without waiting: a fresh socket's buffer has room for so little, and the answer is a mere
  // courtesy.
  if (::send(fd_, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) < 0) co_return;
  co_await Linger();
}

std::string_view TlsStream::protocol() const {
  const unsigned char* data = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &data, &size);
  return {reinterpret_cast<const char*>(data), size};
}

std::shared_ptr<const PeerCertificates> TlsStream::peer() const {
  X509* leaf = SSL_get0_peer_certificate(ssl_);
  if (leaf == nullptr) return nullptr;
  std::vector<std::string> der;
  der.push_back(ToDer(leaf));
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl_);  // on a server: without the leaf
  for (int i = 0; i < sk_X509_num(chain); ++i) der.push_back(ToDer(sk_X509_value(chain, i)));
  return std::make_shared<const PeerCertificates>(std::move(der));
}

Task<std::string_view> TlsStream::Read() {
  for (;;) {
    if (++reads_ > kReadsPerTurn) {
      reads_ = 1;
      co_await Yield();
    }
    if (fd_ < 0) co_return absl::UnavailableError("connection aborted");
    ERR_clear_error();
    BeginCall();
    const int n = SSL_read(ssl_, ReadBuffer(), kRecord);
    if (n > 0) {
      without_data_ = 0;
      data_ += static_cast<size_t>(n);
      if (data_ > kMessagePeriod) data_ = messages_ = 0;
      co_return std::string_view(ReadBuffer(), static_cast<size_t>(n));
    }
    const bool end = fd_ >= 0 && SSL_get_error(ssl_, n) == SSL_ERROR_ZERO_RETURN;
    if (end) co_return std::string_view();
    CO_RETURN_IF_ERROR(co_await WaitFor(n));
    reads_ = 0;
  }
}

void TlsStream::KeepBuffer(bool keep) {
  if (keep == keeps_buffer_) return;
  keeps_buffer_ = keep;
  if (keep) {
    SSL_clear_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
  } else {
    SSL_set_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
  }
}

int TlsStream::WriteNow(std::string_view& chunk, bool more) {
  int n = 1;
  while (!chunk.empty() && n > 0) {
    const size_t record = std::min(chunk.size(), kRecord);
    more_ = more || record < chunk.size();
    // If other records follow, they reuse the buffer of this record.
    KeepBuffer(more_);
    BeginCall();
    n = SSL_write(ssl_, chunk.data(), static_cast<int>(record));
    if (n <= 0) break;
    chunk.remove_prefix(static_cast<size_t>(n));
    drain_.Took(static_cast<size_t>(n));
  }
  return n;
}

StatusTask TlsStream::WriteRest(std::string_view chunk, bool more, int result) {
  while (!chunk.empty()) {
    drain_.Begin(pace_);
    // Reads that come in between release their own buffer.
    KeepBuffer(false);
    CO_RETURN_IF_ERROR(co_await WaitFor(result));
    if (fd_ < 0) co_return absl::UnavailableError("connection aborted");
    // Other connections have used the thread's list of errors.
    ERR_clear_error();
    result = WriteNow(chunk, more);
  }
  co_return absl::OkStatus();
}

StatusTask TlsStream::Write(std::span<const std::string_view> pieces) {
  struct Waiting {
    ~Waiting() { drain.End(); }
    DrainDeadline& drain;
  } waiting{drain_};
  // Small pieces are gathered into whole records; large ones are encrypted in place. The final
  // record must be marked as the last, so that the kernel does not wait for more.
  while (!pieces.empty() && pieces.back().empty()) pieces = pieces.first(pieces.size() - 1);
  if (fd_ < 0) co_return absl::UnavailableError("connection aborted");
  ERR_clear_error();
  RecordBuffer gathered;
  size_t used = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    std::string_view piece = pieces[i];
    while (!piece.empty()) {
      std::string_view chunk;
      if (used == 0 && (piece.size() >= kRecord || last)) {
        chunk = piece.substr(0, last ? piece.size() : piece.size() - piece.size() % kRecord);
        piece.remove_prefix(chunk.size());
      } else {
        const size_t n = std::min(piece.size(), kRecord - used);
        std::memcpy(gathered.get() + used, piece.data(), n);
        used += n;
        piece.remove_prefix(n);
        if (used < kRecord && !(last && piece.empty())) continue;
        chunk = {gathered.get(), std::exchange(used, 0)};
      }
      const bool more = !last || !piece.empty();
      const int result = WriteNow(chunk, more);
      if (result <= 0) CO_RETURN_IF_ERROR(co_await WriteRest(chunk, more, result));
    }
  }
  co_return absl::OkStatus();
}

VoidTask TlsStream::Shutdown() {
  if (fd_ < 0) co_return;
  ERR_clear_error();
  if (!failed_ && SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
  ERR_clear_error();
  co_await Linger();
}

// Closing with unread bytes would send a reset, which can destroy data that the peer has not read
// yet.
VoidTask TlsStream::Linger() {
  boost::system::error_code ec;
  socket_.shutdown(tcp::socket::shutdown_send, ec);
  linger_deadline_.Set(kLinger);
  for (int reads = 1; fd_ >= 0 && !ec; ++reads) {
    const ssize_t n = ::recv(fd_, ReadBuffer(), kRecord, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (n < 0) {
      reads = 0;
      co_await socket_.async_wait(tcp::socket::wait_read,
                                  asio::redirect_error(asio::use_awaitable, ec));
    } else if (reads == kReadsPerTurn) {
      reads = 0;
      co_await Yield();
    }
  }
  linger_deadline_.Clear();
  Abort();
}

void TlsStream::Abort() {
  if (fd_ < 0) return;
  fd_ = -1;
  turn_.Cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace steward::http
