#include "apiserver/filters/audit/source_addresses.h"

#include <algorithm>
#include <string_view>

#include "base/text/ip_address.h"

namespace steward::filters {
namespace {

constexpr size_t kMaxAddresses = 16;
constexpr size_t kMaxForwarded = 4 << 10;

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

void AddForwarded(std::string_view list, std::vector<std::string>& addresses) {
  if (list.size() > kMaxForwarded) list.remove_prefix(list.size() - kMaxForwarded);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string address(Trimmed(list.substr(0, comma)));
    if (IsIpAddress(address)) addresses.push_back(std::move(address));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace

std::vector<std::string> SourceAddresses(const http::Request& request) {
  std::vector<std::string> addresses;
  if (const std::string* forwarded = request.headers.Find("X-Forwarded-For")) {
    AddForwarded(*forwarded, addresses);
  }
  if (const std::string* real = request.headers.Find("X-Real-Ip");
      real != nullptr && IsIpAddress(*real) &&
      std::find(addresses.begin(), addresses.end(), *real) == addresses.end()) {
    addresses.push_back(*real);
  }
  std::string peer(HostOf(request.remote_address));
  if (IsIpAddress(peer) && (addresses.empty() || addresses.back() != peer)) {
    addresses.push_back(std::move(peer));
  }
  if (addresses.size() > kMaxAddresses) {
    addresses.erase(addresses.begin(), addresses.end() - kMaxAddresses);
  }
  return addresses;
}

}  // namespace steward::filters
