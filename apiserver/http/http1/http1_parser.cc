#include "apiserver/http/http1/http1_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "apiserver/http/message/target.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace beast_http = boost::beast::http;

namespace {

using boost::beast::error_code;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

HttpError BadRequest(std::string message) { return {400, "BadRequest", std::move(message)}; }

}  // namespace

struct Http1Parser::Impl final : beast_http::basic_parser<true> {
  Impl(const Limits& l, MemoryBudget::Lease& m) : limits(l), lease(m) {
    header_limit(static_cast<std::uint32_t>(limits.max_target_bytes + limits.max_header_bytes));
    body_limit(boost::none);  // see AllowBody
  }

  // The first error counts; the returned code makes the parser stop.
  void Fail(HttpError e, error_code& ec) {
    if (error.code == 0) error = std::move(e);
    ec = beast_http::error::bad_field;
  }

  void on_request_impl(beast_http::verb, boost::beast::string_view method,
                       boost::beast::string_view target, int number, error_code& ec) override {
    version = number;
    if (target.size() > limits.max_target_bytes) return Fail(TargetTooLong(limits), ec);
    if (!lease.Grow(method.size() + target.size())) return Fail(RequestMemoryExhausted(), ec);
    request.method = std::string(View(method));
    request.target = std::string(View(target));
    request.protocol = version == 11 ? "HTTP/1.1" : "HTTP/1.0";
  }

  void on_response_impl(int, boost::beast::string_view, int, error_code&) override {}

  void on_field_impl(beast_http::field field, boost::beast::string_view name,
                     boost::beast::string_view value, error_code& ec) override {
    // Fields of a trailer must never count as fields of the header.
    if (head_done) return;
    constexpr size_t kFieldOverhead = 32;
    const size_t size = name.size() + value.size();
    header_bytes += size + kFieldOverhead;
    ++fields;
    if (header_bytes > limits.max_header_bytes || fields > limits.max_header_fields) {
      return Fail(HeaderTooLarge(limits), ec);
    }
    if (!lease.Grow(size + kFieldMemory)) return Fail(RequestMemoryExhausted(), ec);
    if (field == beast_http::field::host) ++hosts;
    if (field == beast_http::field::transfer_encoding) {
      if (has_transfer_encoding || version < 11 ||
          !absl::EqualsIgnoreCase(ToAbsl(View(value)), "chunked")) {
        return Fail({501, "", "unsupported transfer encoding"}, ec);
      }
      has_transfer_encoding = true;
    }
    if (field == beast_http::field::expect) {
      if (!absl::EqualsIgnoreCase(ToAbsl(View(value)), "100-continue")) {
        return Fail({417, "", "unsupported expectation"}, ec);
      }
      expects_continue = version >= 11;
    }
    request.headers.Add(std::string(View(name)), std::string(View(value)));
  }

  void on_header_impl(error_code& ec) override {
    head_done = true;
    if (hosts > 1 || (hosts == 0 && version >= 11)) {
      return Fail(BadRequest(hosts == 0 ? "missing required Host header" : "too many Host headers"),
                  ec);
    }
    if (request.method == "CONNECT")
      return Fail({405, "MethodNotAllowed", "CONNECT is not supported"}, ec);
    auto target = ParseTarget(request.target);
    if (!target.ok()) return Fail(BadRequest(std::string(target.status().message())), ec);
    if (!lease.Grow(request.target.size() + target->query.size() * kFieldMemory)) {
      return Fail(RequestMemoryExhausted(), ec);
    }
    request.path = std::move(target->path);
    request.query = std::move(target->query);
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}

  size_t Append(boost::beast::string_view bytes, error_code& ec) {
    if (bytes.size() > max_body - request.body.size()) {
      Fail(BodyTooLarge(max_body), ec);
    } else if (!GrowString(lease, request.body, bytes.size())) {
      Fail(RequestMemoryExhausted(), ec);
    } else {
      request.body.append(bytes.data(), bytes.size());
    }
    return bytes.size();
  }
  size_t on_body_impl(boost::beast::string_view bytes, error_code& ec) override {
    return Append(bytes, ec);
  }
  void on_chunk_header_impl(std::uint64_t size, boost::beast::string_view,
                            error_code& ec) override {
    if (size > max_body - request.body.size()) Fail(BodyTooLarge(max_body), ec);
  }
  size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view bytes,
                            error_code& ec) override {
    return Append(bytes, ec);
  }
  void on_finish_impl(error_code&) override {}

  // The meaning of an error code of the parser itself, at `bytes`.
  HttpError Explain(const error_code& ec, std::string_view bytes) const {
    if (ec == beast_http::error::header_limit) {
      const bool in_target = bytes.substr(0, limits.max_target_bytes).find('\n') == bytes.npos;
      return in_target ? TargetTooLong(limits) : HeaderTooLarge(limits);
    }
    return BadRequest(StrCat("malformed HTTP request: ", ec.message()));
  }

  const Limits& limits;
  MemoryBudget::Lease& lease;
  Request request;
  HttpError error;
  size_t max_body = 0;
  size_t fields = 0;
  int version = 0;
  int hosts = 0;
  size_t header_bytes = 0;
  bool has_transfer_encoding = false;
  bool expects_continue = false;
  bool head_done = false;
  bool head_said = false;
};

Http1Parser::Http1Parser(const Limits& limits, MemoryBudget::Lease& lease)
    : impl_(std::make_unique<Impl>(limits, lease)) {}
Http1Parser::~Http1Parser() = default;

Http1Parser::Progress Http1Parser::Parse(std::string_view bytes, size_t& consumed) {
  consumed = 0;
  for (;;) {
    if (impl_->head_done && !impl_->head_said) {
      impl_->head_said = true;
      return Progress::kHead;
    }
    if (impl_->is_done()) return Progress::kDone;
    const std::string_view rest = bytes.substr(consumed);
    if (rest.empty()) return Progress::kNeedMore;
    error_code ec;
    consumed += impl_->put(boost::asio::const_buffer(rest.data(), rest.size()), ec);
    if (ec == beast_http::error::need_more) {
      // Nothing else limits the lines between the chunks of a body.
      if (impl_->head_done && bytes.size() - consumed > impl_->limits.max_header_bytes) {
        impl_->error = HeaderTooLarge(impl_->limits);
        return Progress::kError;
      }
      return Progress::kNeedMore;
    }
    if (ec) {
      if (impl_->error.code == 0) impl_->error = impl_->Explain(ec, rest);
      return Progress::kError;
    }
  }
}

bool Http1Parser::AllowBody(size_t max_bytes) {
  impl_->max_body = max_bytes;
  const auto announced = impl_->content_length();
  if (!announced || *announced <= max_bytes) return true;
  impl_->error = BodyTooLarge(max_bytes);
  return false;
}

bool Http1Parser::done() const { return impl_->is_done(); }
Request& Http1Parser::request() { return impl_->request; }
bool Http1Parser::keep_alive() const { return impl_->head_done && impl_->keep_alive(); }
bool Http1Parser::expects_continue() const { return impl_->expects_continue; }
bool Http1Parser::knows_chunked() const { return impl_->version >= 11; }
const HttpError& Http1Parser::error() const { return impl_->error; }

}  // namespace steward::http
