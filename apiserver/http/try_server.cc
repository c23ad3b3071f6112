// A server to try protocol clients on by hand (curl, h2load, h2spec): try_server [PORT]
//   /hello   a few bytes            /big?n=N   N bytes, Content-Length known     /stream?n=N   N
//   lines, one write each /echo    the request's body     /hang      answers when the client is
//   gone, that is never
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/server.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "base/tls/server_context.h"
#include "base/tls/testing.h"

namespace steward::http {
namespace {

size_t Number(const Request& request, size_t fallback) {
  const std::string* text = request.Query("n");
  uint64_t n = 0;
  return text != nullptr && absl::SimpleAtoi(*text, &n) ? n : fallback;
}

StatusTask Big(ResponseWriter& writer, size_t size) {
  static const std::string& block = *new std::string(64 << 10, 'x');
  ResponseHead head;
  head.content_length = size;
  absl::Status status = co_await writer.WriteHead(std::move(head));
  while (status.ok() && size > 0) {
    const size_t n = std::min(size, block.size());
    size -= n;
    std::vector<Segment> segments;
    segments.push_back({std::string_view(block).substr(0, n), nullptr});
    status = co_await writer.Write(std::move(segments));
  }
  if (status.ok()) status = co_await writer.Finish();
  co_return status;
}

StatusTask Lines(ResponseWriter& writer, size_t count) {
  absl::Status status = co_await writer.WriteHead(ResponseHead());
  for (size_t i = 0; status.ok() && i < count; ++i) {
    std::vector<Segment> segments;
    segments.push_back(OwnedSegment(StrCat("line ", i, "\n")));
    status = co_await writer.Write(std::move(segments));
  }
  if (status.ok()) status = co_await writer.Finish();
  co_return status;
}

VoidTask Handle(Request& request, ResponseWriter& writer) {
  absl::Status status;
  if (request.path == "/big") {
    status = co_await Big(writer, Number(request, 1 << 20));
  } else if (request.path == "/stream") {
    status = co_await Lines(writer, Number(request, 10));
  } else if (request.path == "/echo") {
    status = co_await Respond(writer, 200, "application/octet-stream", std::move(request.body));
  } else if (request.path == "/hang") {
    co_await Clock::Real().Sleep(absl::Hours(24));
  } else {
    status = co_await Respond(writer, 200, "text/plain", "hello\n");
  }
  if (!status.ok()) log::Verbose(2, "Client gone", {{"err", status}});
}

VoidTask UntilInterrupted(Server& server) {
  boost::asio::signal_set signals(co_await boost::asio::this_coro::executor, SIGINT, SIGTERM);
  co_await signals.async_wait(boost::asio::use_awaitable);
  co_await server.Stop(absl::Seconds(5));
}

int Main(int argc, char** argv) {
  const TestKeyPair pair = SelfSignedForTest();
  const auto context = MakeServerContext({pair.cert_pem, pair.key_pem}, {});
  ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = static_cast<uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  options.tls = [&] { return *context; };
  options.error_body = [](int code, std::string_view reason, std::string_view message) {
    return StrCat("{\"code\":", code, ",\"reason\":\"", reason, "\",\"message\":\"", message,
                  "\"}\n");
  };
  boost::asio::io_context io;
  IoThreads threads;
  Server server(std::move(options), threads);
  if (const absl::Status status = server.Start(Handle); !status.ok()) {
    std::cerr << status << "\n";
    return 1;
  }
  RunOn(io, UntilInterrupted(server));
  return 0;
}

}  // namespace
}  // namespace steward::http

int main(int argc, char** argv) { return steward::http::Main(argc, argv); }
