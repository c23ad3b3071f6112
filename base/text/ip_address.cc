#include "base/text/ip_address.h"

#include <arpa/inet.h>

namespace steward {

bool IsIpAddress(const std::string& text) {
  in6_addr ignored;
  return inet_pton(AF_INET, text.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
}

}  // namespace steward
