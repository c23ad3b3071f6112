#include "apiserver/http/tls_stream.h"

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
// Reads in a row, without having to wait, after which others get a turn: 256 KiB at most. A peer
// that always has more to say must not have the thread for itself.
constexpr int kReadsPerTurn = 16;

// One per thread: see ByteStream::Read.
char* ReadBuffer() {
  thread_local char buffer[kRecord];
  return buffer;
}

// Room for one record, taken from the thread's spare ones at first use: large allocations that come
// and go with each write cost more than the copying.
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
    const ssize_t n = ::recv(stream.fd_, data, static_cast<size_t>(size), 0);
    if (n == 0) stream.at_end_ = true;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
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
                     DeadlineSet& deadlines, absl::Duration write_window, size_t min_drain_rate)
    : socket_(std::move(socket)),
      turn_(turns, Source(socket_)),
      ssl_(SSL_new(context.get())),
      fd_(socket_.native_handle()),
      write_window_(write_window),
      drain_(deadlines, min_drain_rate, [this] { Abort(); }),
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
  // HTTP frames its messages itself: an end without close_notify is an end.
  SSL_set_options(ssl_, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_set_accept_state(ssl_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

StatusTask TlsStream::WaitFor(int result) {
  const int error = SSL_get_error(ssl_, result);
  if (fd_ >= 0 && (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)) {
    boost::system::error_code ec;
    co_await socket_.async_wait(
        error == SSL_ERROR_WANT_READ ? tcp::socket::wait_read : tcp::socket::wait_write,
        asio::redirect_error(asio::use_awaitable, ec));
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
    const int result = SSL_do_handshake(ssl_);
    if (result == 1) co_return absl::OkStatus();
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
  // A fresh socket's buffer takes so little at once; if not, the answer is lost, and was a courtesy
  // only.
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
    const int n = SSL_read(ssl_, ReadBuffer(), kRecord);
    if (n > 0) co_return std::string_view(ReadBuffer(), static_cast<size_t>(n));
    if (SSL_get_error(ssl_, n) == SSL_ERROR_ZERO_RETURN) co_return std::string_view();
    CO_RETURN_IF_ERROR(co_await WaitFor(n));
    reads_ = 0;
  }
}

int TlsStream::WriteNow(std::string_view& chunk, bool more) {
  int n = 1;
  while (!chunk.empty() && n > 0) {
    ERR_clear_error();
    const size_t record = std::min(chunk.size(), kRecord);
    more_ = more || record < chunk.size();
    // A record that others follow leaves its buffer to them.
    if (more_) SSL_clear_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
    n = SSL_write(ssl_, chunk.data(), static_cast<int>(record));
    if (more_) SSL_set_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
    if (n <= 0) break;
    chunk.remove_prefix(static_cast<size_t>(n));
    drain_.Took(static_cast<size_t>(n));
  }
  return n;
}

StatusTask TlsStream::WriteRest(std::string_view chunk, bool more, int result) {
  while (!chunk.empty()) {
    drain_.Begin(write_window_);
    CO_RETURN_IF_ERROR(co_await WaitFor(result));
    if (fd_ < 0) co_return absl::UnavailableError("connection aborted");
    result = WriteNow(chunk, more);
  }
  co_return absl::OkStatus();
}

StatusTask TlsStream::Write(std::span<const std::string_view> pieces) {
  struct Waiting {
    ~Waiting() { drain.End(); }
    DrainDeadline& drain;
  } waiting{drain_};
  // Small pieces are gathered into whole records; large ones are encrypted where they lie.
  // The last record is the last one for sure: what waits for more must not wait in vain.
  while (!pieces.empty() && pieces.back().empty()) pieces = pieces.first(pieces.size() - 1);
  if (fd_ < 0) co_return absl::UnavailableError("connection aborted");
  RecordBuffer gathered;
  size_t used = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string_view piece = pieces[i];
    while (!piece.empty()) {
      const bool last = i + 1 == pieces.size();
      if (used == 0 && (piece.size() >= kRecord || last)) {
        const size_t whole = last ? piece.size() : piece.size() - piece.size() % kRecord;
        std::string_view chunk = piece.substr(0, whole);
        const int result = WriteNow(chunk, !last);
        if (result <= 0) CO_RETURN_IF_ERROR(co_await WriteRest(chunk, !last, result));
        piece.remove_prefix(whole);
        continue;
      }
      const size_t n = std::min(piece.size(), kRecord - used);
      std::memcpy(gathered.get() + used, piece.data(), n);
      used += n;
      piece.remove_prefix(n);
      if (used == kRecord) {
        const bool more = !last || !piece.empty();
        std::string_view chunk(gathered.get(), used);
        const int result = WriteNow(chunk, more);
        if (result <= 0) CO_RETURN_IF_ERROR(co_await WriteRest(chunk, more, result));
        used = 0;
      }
    }
  }
  if (used == 0) co_return absl::OkStatus();
  std::string_view chunk(gathered.get(), used);
  const int result = WriteNow(chunk, /*more=*/false);
  if (result <= 0) co_return co_await WriteRest(chunk, /*more=*/false, result);
  co_return absl::OkStatus();
}

VoidTask TlsStream::Shutdown() {
  if (fd_ < 0) co_return;
  ERR_clear_error();
  if (!failed_ && SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
  ERR_clear_error();
  co_await Linger();
}

// Closing while unread bytes wait would send a reset, which can destroy what the peer has not read
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
