#include "apiserver/http/websocket/websocket.h"

#include <array>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apiserver/http/message/response_fields.h"

namespace steward::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

using boost::system::error_code;

namespace websocket_internal {

// An adapter that gives a ByteStream the interface that Beast needs.
class Layer {
 public:
  using executor_type = asio::any_io_executor;

  Layer(asio::any_io_executor executor, ByteStream& stream)
      : executor_(std::move(executor)), stream_(stream) {}

  executor_type get_executor() const noexcept { return executor_; }

  template <typename Token>
  using Result =
      typename asio::async_result<std::decay_t<Token>, void(error_code, std::size_t)>::return_type;

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) -> Result<Token> {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, std::vector<asio::mutable_buffer> to) {
          Run(reading_, ReadSome(std::move(to)), std::move(handler));
        },
        token, ToVector<asio::mutable_buffer>(buffers));
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) -> Result<Token> {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, std::vector<asio::const_buffer> from) {
          Run(writing_, WriteSome(std::move(from)), std::move(handler));
        },
        token, ToVector<asio::const_buffer>(buffers));
  }

  void Abort() { stream_.Abort(); }

  void Stop() {
    stopped_ = true;
    for (Direction* direction : {&reading_, &writing_}) {
      if (direction->busy) direction->stop.emit(asio::cancellation_type::terminal);
    }
  }

 private:
  struct Direction {
    asio::cancellation_signal stop;
    bool busy = false;
  };
  struct Outcome {
    error_code error;
    std::size_t bytes = 0;
  };

  template <typename Buffer, typename Buffers>
  static std::vector<Buffer> ToVector(const Buffers& buffers) {
    return std::vector<Buffer>(asio::buffer_sequence_begin(buffers),
                               asio::buffer_sequence_end(buffers));
  }

  template <typename Handler>
  void Run(Direction& direction, asio::awaitable<Outcome> operation, Handler handler) {
    direction.busy = true;
    auto complete = [&direction, handler = std::move(handler)](const std::exception_ptr& exception,
                                                               Outcome outcome) mutable {
      direction.busy = false;
      if (exception) outcome.error = asio::error::operation_aborted;
      std::move(handler)(outcome.error, outcome.bytes);
    };
    asio::co_spawn(executor_, std::move(operation),
                   asio::bind_cancellation_slot(direction.stop.slot(), std::move(complete)));
  }

  asio::awaitable<Outcome> ReadSome(std::vector<asio::mutable_buffer> to) {
    Outcome outcome;
    if (stopped_) co_return Outcome{asio::error::operation_aborted, 0};
    if (used_ < rest_.size()) {
      outcome.bytes = asio::buffer_copy(to, asio::buffer(rest_) + used_);
      used_ += outcome.bytes;
      if (used_ == rest_.size()) std::string().swap(rest_);
      co_return outcome;
    }
    const absl::StatusOr<std::string_view> read = co_await stream_.Read();
    if (!read.ok()) {
      outcome.error = asio::error::connection_reset;
    } else if (read->empty()) {
      outcome.error = asio::error::eof;
    } else {
      outcome.bytes = asio::buffer_copy(to, asio::buffer(read->data(), read->size()));
      rest_ = read->substr(outcome.bytes);
      used_ = 0;
    }
    co_return outcome;
  }

  asio::awaitable<Outcome> WriteSome(std::vector<asio::const_buffer> from) {
    Outcome outcome;
    if (stopped_) co_return Outcome{asio::error::operation_aborted, 0};
    std::vector<std::string_view> pieces;
    pieces.reserve(from.size());
    for (const asio::const_buffer& buffer : from) {
      pieces.emplace_back(static_cast<const char*>(buffer.data()), buffer.size());
      outcome.bytes += buffer.size();
    }
    const absl::Status written = co_await stream_.Write(pieces);
    if (!written.ok()) outcome = {asio::error::connection_reset, 0};
    co_return outcome;
  }

  const asio::any_io_executor executor_;
  ByteStream& stream_;
  // Needed because a Beast operation forgets its cancellation if its current step succeeds.
  bool stopped_ = false;
  Direction reading_;
  Direction writing_;
  std::string rest_;  // bytes read beyond those requested
  std::size_t used_ = 0;
};

// Beast finds these three by their names. The stream's owner ends the stream, not Beast.
void teardown(beast::role_type, Layer&, error_code& error) { error = {}; }

template <typename Handler>
void async_teardown(beast::role_type, Layer& layer, Handler&& handler) {
  asio::post(layer.get_executor(),
             [handler = std::forward<Handler>(handler)]() mutable { handler(error_code()); });
}

void beast_close_socket(Layer& layer) { layer.Abort(); }

}  // namespace websocket_internal

namespace {

using Socket = beast::websocket::stream<websocket_internal::Layer, /*deflateSupported=*/false>;

// Waits without being cancelled, because Layer::Stop ends the wait.
auto Awaiting(error_code& error) {
  return asio::bind_cancellation_slot(asio::cancellation_slot(),
                                      asio::redirect_error(asio::use_awaitable, error));
}

absl::Status ToStatus(const error_code& error) {
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(error.message());
}

// The request that Beast checks again; the client's own fields were checked before.
beast::http::request<beast::http::empty_body> AcceptableRequest(const std::string& key) {
  using beast::http::field;
  constexpr unsigned kHttp11 = 11;
  beast::http::request<beast::http::empty_body> request(beast::http::verb::get, "/", kHttp11);
  request.set(field::host, "-");
  request.set(field::connection, "Upgrade");
  request.set(field::upgrade, "websocket");
  request.set(field::sec_websocket_version, "13");
  request.set(field::sec_websocket_key, key);
  return request;
}

}  // namespace

struct WebSocket::Impl {
  Impl(const asio::any_io_executor& executor, ByteStream& stream) : socket(executor, stream) {}
  Socket socket;
};

WebSocket::WebSocket(const asio::any_io_executor& executor, ByteStream& stream,
                     size_t max_message_bytes)
    : impl_(std::make_unique<Impl>(executor, stream)) {
  impl_->socket.read_message_max(max_message_bytes);
  impl_->socket.auto_fragment(false);
  impl_->socket.text(true);
}

WebSocket::~WebSocket() = default;

StatusTask WebSocket::Accept(WebSocketHandshake handshake, Headers fields) {
  using Decorator = beast::websocket::stream_base::decorator;
  const auto decorate = [&handshake, &fields](beast::websocket::response_type& response) {
    // Overrides the name that Beast would send.
    response.set(beast::http::field::server, "steward");
    if (!handshake.subprotocol.empty()) {
      response.set(beast::http::field::sec_websocket_protocol, handshake.subprotocol);
    }
    ForEachSentField(fields, [&response](std::string_view name, std::string_view value) {
      response.insert({name.data(), name.size()}, {value.data(), value.size()});
    });
  };
  impl_->socket.set_option(Decorator(decorate));
  const auto request = AcceptableRequest(handshake.key);
  error_code error;
  co_await impl_->socket.async_accept(request, Awaiting(error));
  impl_->socket.set_option(Decorator([](beast::websocket::response_type&) {}));
  co_return ToStatus(error);
}

StatusTask WebSocket::Send(std::vector<Segment> message) {
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(message.size());
  for (const Segment& segment : message) {
    if (!segment.bytes.empty()) buffers.emplace_back(segment.bytes.data(), segment.bytes.size());
  }
  error_code error;
  co_await impl_->socket.async_write(buffers, Awaiting(error));
  co_return ToStatus(error);
}

StatusTask WebSocket::Close() {
  error_code error;
  co_await impl_->socket.async_close(beast::websocket::close_code::normal, Awaiting(error));
  co_return ToStatus(error);
}

StatusTask WebSocket::Listen() {
  std::array<char, 512> dropped;
  error_code error;
  while (!error) {
    co_await impl_->socket.async_read_some(asio::buffer(dropped), Awaiting(error));
  }
  // Beast reports protocol errors and the regular end to the client by a close frame.
  const bool told = error.category() == beast::websocket::make_error_code({}).category();
  co_return told ? absl::OkStatus() : ToStatus(error);
}

void WebSocket::Stop() { impl_->socket.next_layer().Stop(); }

}  // namespace steward::http
