#include "cmd/steward/listen_address.h"

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "base/text/ip_address.h"
#include "base/text/str_cat.h"

namespace steward {

std::string ListenAddress::ToString() const {
  const bool v6 = ip.find(':') != std::string::npos;
  return v6 ? StrCat("[", ip, "]:", port) : StrCat(ip, ":", port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(const std::string& flag, const std::string& text) {
  if (text == "0") return ListenAddress{};
  const size_t colon = text.rfind(':');
  std::string ip = text.substr(0, colon);
  if (ip.size() > 1 && ip.front() == '[' && ip.back() == ']') ip = ip.substr(1, ip.size() - 2);
  if (ip.empty()) ip = "::";
  uint32_t port = 0;
  const bool sound = colon != std::string::npos && IsIpAddress(ip) &&
                     absl::SimpleAtoi(text.substr(colon + 1), &port) && port <= 65535;
  if (!sound) {
    return absl::InvalidArgumentError(StrCat(flag, ": \"", text,
                                             "\" is no IP address and port such as "
                                             "127.0.0.1:8080, no :8080, and not 0"));
  }
  return ListenAddress{ip, static_cast<uint16_t>(port)};
}

}  // namespace steward
