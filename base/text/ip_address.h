// IP addresses as text. Pure functions.
#ifndef BASE_TEXT_IP_ADDRESS_H_
#define BASE_TEXT_IP_ADDRESS_H_

#include <string>
#include <string_view>

namespace steward {

// True for an IPv4 or IPv6 address without brackets, port or zone.
bool IsIpAddress(const std::string& text);
// True for such an address that leads to this machine itself: 127.0.0.0/8 and ::1, also as
// ::ffff:127.0.0.1.
bool IsLoopbackAddress(const std::string& text);

// The part of "192.0.2.1:55" or "[2001:db8::1]:55" before the port, with its brackets.
constexpr std::string_view WithoutPort(std::string_view address) {
  return address.substr(0, address.rfind(':'));
}
// The part before the port, without brackets.
constexpr std::string_view HostOf(std::string_view address) {
  std::string_view host = WithoutPort(address);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

}  // namespace steward

#endif  // BASE_TEXT_IP_ADDRESS_H_
