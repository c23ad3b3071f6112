#include "apiserver/filters/testing/requests.h"

#include <openssl/pem.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "apiserver/filters/request/request_info.h"
#include "apiserver/http/message/target.h"
#include "base/async/run.h"
#include "base/tls/openssl_ptr.h"

namespace steward::filters {
namespace {

[[noreturn]] void Fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

VoidTask RespondServed(http::ResponseWriter& writer) {
  const absl::Status sent = co_await http::Respond(writer, 200, "text/plain", "served");
  sent.IgnoreError();
}

}  // namespace

http::Request MakeRequest(std::string_view method, std::string_view target) {
  auto parsed = http::ParseTarget(target);
  if (!parsed.ok()) Fail("a test's target does not parse");
  http::Request request;
  request.method = method;
  request.target = target;
  request.path = std::move(parsed->path);
  request.query = std::move(parsed->query);
  request.protocol = "HTTP/2.0";
  request.remote_address = "127.0.0.1:1234";
  return request;
}

http::Request MakeReadRequest(std::string_view method, std::string_view target) {
  http::Request request = MakeRequest(method, target);
  auto info = ReadRequestInfo(request);
  if (!info.ok()) Fail("a test's request cannot be read");
  request.info = *std::move(info);
  return request;
}

std::shared_ptr<const http::PeerCertificates> MakePeer(const std::vector<std::string>& pems) {
  std::vector<std::string> chain;
  for (const std::string& pem : pems) {
    const X509Ptr certificate(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
    unsigned char* der = nullptr;
    const int size = certificate != nullptr ? i2d_X509(certificate.get(), &der) : -1;
    if (size < 0) Fail("a test's certificate does not parse");
    chain.emplace_back(reinterpret_cast<char*>(der), static_cast<size_t>(size));
    OPENSSL_free(der);
  }
  return std::make_shared<const http::PeerCertificates>(std::move(chain));
}

void Handle(const http::Handler& handler, http::Request& request, http::ResponseWriter& writer) {
  boost::asio::io_context io;
  RunOn(io, handler(request, writer));
}

http::Handler ServedHandler() {
  return [](http::Request&, http::ResponseWriter& writer) { return RespondServed(writer); };
}

}  // namespace steward::filters
