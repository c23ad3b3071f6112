#include "kube/client/http_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/warnings.h"

namespace steward::kube {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

constexpr int kMaxInterimResponses = 8;

// RFC 9110, 5.6.7. Only the first of its three forms, since servers send no other.
std::optional<absl::Time> DateOf(const std::string& text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime("%a, %d %b %E4Y %H:%M:%S GMT", text, &time, &error)) return std::nullopt;
  return time;
}

// Appends body bytes to `body` as they are parsed, and keeps the few header fields that are used.
class ResponseParser : public http::basic_parser<false> {
 public:
  ResponseParser() {
    header_limit(HttpConnection::kMaxHeaderBytes);
    body_limit(boost::none);  // the readers of bodies have their own limits
  }

  ResponseHead head;
  std::string* body = nullptr;

 private:
  void on_request_impl(http::verb, BeastView, BeastView, int, error_code&) override {}
  void on_response_impl(int code, BeastView, int, error_code&) override { head.status = code; }
  void on_field_impl(http::field name, BeastView text, BeastView value, error_code&) override {
    uint32_t seconds = 0;
    if (name == http::field::retry_after &&
        absl::SimpleAtoi(absl::string_view(value.data(), value.size()), &seconds)) {
      head.retry_after = absl::Seconds(seconds);
    }
    if (name == http::field::content_type) head.content_type = std::string(value);
    if (name == http::field::cache_control) head.cache_control = std::string(value);
    if (name == http::field::unknown &&
        absl::EqualsIgnoreCase(absl::string_view(text.data(), text.size()), "Audit-Id")) {
      head.audit_id = std::string(value);
    }
    if (name == http::field::date) head.date = DateOf(std::string(value.data(), value.size()));
    if (name == http::field::warning) {
      AppendWarnings(std::string_view(value.data(), value.size()), head.warnings);
    }
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(BeastView bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}
};

absl::Status NotHttp(const error_code& error) {
  return absl::UnavailableError(StrCat("the API server's answer is not HTTP: ", error.message()));
}

}  // namespace

struct HttpConnection::Impl {
  explicit Impl(std::unique_ptr<ByteStream> s)
      : stream(std::move(s)), input(kMaxHeaderBytes + 4096) {}

  // Parses buffered bytes once. True when the parser needs more bytes first.
  absl::StatusOr<bool> ParseSome() {
    error_code error;
    const size_t used = parser->put(boost::asio::const_buffer(&input[begin], end - begin), error);
    begin += used;
    if (error == http::error::need_more) return true;
    if (error) return NotHttp(error);
    return used == 0 && !parser->is_done();
  }

  // Reads more bytes behind the buffered ones. False when the peer ended the stream.
  Task<bool> Fill() {
    if (begin > 0) {
      std::memmove(input.data(), &input[begin], end - begin);
      end -= begin;
      begin = 0;
    }
    if (end == input.size()) {
      co_return absl::UnavailableError("the API server's header or chunk head is too large");
    }
    CO_ASSIGN_OR_RETURN(const size_t size,
                        co_await stream->ReadSome(std::span(input).subspan(end)));
    end += size;
    response_began |= size > 0;
    co_return size > 0;
  }

  // Parses, reading as needed, until `ready` returns true.
  template <typename Ready>
  StatusTask ParseUntil(Ready ready) {
    while (!ready()) {
      bool need_more = true;
      if (begin < end) {
        CO_ASSIGN_OR_RETURN(need_more, ParseSome());
      }
      if (!need_more || ready()) continue;
      CO_ASSIGN_OR_RETURN(const bool filled, co_await Fill());
      if (filled) continue;
      error_code error;
      if (parser->got_some()) parser->put_eof(error);
      if (error || !ready()) {
        co_return absl::UnavailableError("the API server closed the connection within its answer");
      }
    }
    co_return absl::OkStatus();
  }

  std::unique_ptr<ByteStream> stream;
  std::vector<char> input;  // bytes received and not yet parsed lie in [begin, end)
  size_t begin = 0;
  size_t end = 0;
  std::optional<ResponseParser> parser;
  bool response_began = false;
};

HttpConnection::HttpConnection(std::unique_ptr<ByteStream> stream)
    : impl_(std::make_unique<Impl>(std::move(stream))) {}

HttpConnection::~HttpConnection() = default;

Task<ResponseHead> HttpConnection::Exchange(std::string_view request, const SendCheck& may_send) {
  Impl& impl = *impl_;
  impl.response_began = false;
  impl.parser.emplace();
  impl.stream->ResetAtEnd(true);
  CO_RETURN_IF_ERROR(co_await impl.stream->Write(request, may_send));
  // Returns the answer after the loop, because clang 14 under ThreadSanitizer continues a loop
  // after a co_return of an object with a destructor.
  bool final = false;
  for (int interim = 0; interim <= kMaxInterimResponses && !final; ++interim) {
    if (interim > 0) impl.parser.emplace();
    const auto header_done = [&impl] { return impl.parser->is_header_done(); };
    CO_RETURN_IF_ERROR(co_await impl.ParseUntil(header_done));
    final = impl.parser->head.status / 100 != 1;
  }
  if (!final) {
    co_return absl::UnavailableError("the API server sends interim answers without end");
  }
  impl.stream->ResetAtEnd(false);
  co_return std::move(impl.parser->head);
}

Task<bool> HttpConnection::ReadBody(std::string& out) {
  Impl& impl = *impl_;
  const size_t size_before = out.size();
  impl.parser->body = &out;
  const auto some_or_all = [&impl, &out, size_before] {
    return out.size() > size_before || impl.parser->is_done();
  };
  CO_RETURN_IF_ERROR(co_await impl.ParseUntil(some_or_all));
  co_return out.size() > size_before;
}

size_t HttpConnection::content_length() const {
  const boost::optional<std::uint64_t> length = impl_->parser->content_length();
  return length ? static_cast<size_t>(*length) : 0;
}

bool HttpConnection::response_began() const { return impl_->response_began; }

bool HttpConnection::reusable() const {
  return impl_->parser && impl_->parser->is_done() && impl_->parser->keep_alive() &&
         impl_->begin == impl_->end && impl_->stream->IsQuiet();
}

}  // namespace steward::kube
