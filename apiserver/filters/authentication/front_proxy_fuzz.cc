#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "apiserver/filters/authentication/bearer_token.h"
#include "apiserver/filters/authentication/front_proxy.h"
#include "apiserver/filters/testing/requests.h"
#include "base/tls/testing.h"

namespace steward::filters {
namespace {

struct Proxy {
  Proxy() {
    const TestCa ca("front-proxy-ca");
    RequestHeaderSettings front;
    front.ca_pem = ca.cert_pem();
    front.username_headers = {"X-Remote-User"};
    front.group_headers = {"X-Remote-Group"};
    front.extra_prefixes = {"X-Remote-Extra-", "X-Other-"};
    config = *AuthenticationConfig::Create({"", front});
    peer = MakePeer({ca.Issue({.common_name = "proxy"}).cert_pem});
  }
  std::shared_ptr<const AuthenticationConfig> config;
  std::shared_ptr<const http::PeerCertificates> peer;
};

http::Headers ReadHeaders(std::string_view text) {
  http::Headers headers;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    headers.Add(std::string(line.substr(0, colon)), std::string(line.substr(colon + 1)));
  }
  return headers;
}

}  // namespace
}  // namespace steward::filters

// Input: header lines, "Name:value". There is no identity without the name header, and no identity
// header is left behind.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward::filters;
  static const Proxy& proxy = *new Proxy;
  steward::http::Request request;
  request.headers = ReadHeaders({reinterpret_cast<const char*>(data), size});
  request.peer = proxy.peer;
  const auto user = AuthenticateFrontProxy(*proxy.config, request, absl::Now());
  if (!user.ok()) std::abort();
  const std::string* name = request.headers.Find("x-remote-user");
  if (user->has_value() != (name != nullptr && !name->empty())) std::abort();
  const auto token = BearerToken(request.headers);
  if (token.has_value() && token->empty()) std::abort();

  RemoveIdentityHeaders(*proxy.config, request.headers);
  for (const auto& [field, value] : request.headers.fields()) {
    if (absl::StartsWithIgnoreCase(field, "x-remote-")) std::abort();
    if (absl::StartsWithIgnoreCase(field, "x-other-")) std::abort();
    if (absl::EqualsIgnoreCase(field, "authorization")) std::abort();
  }
  return 0;
}
