// Addresses in text.
#ifndef BASE_TEXT_IP_ADDRESS_H_
#define BASE_TEXT_IP_ADDRESS_H_

#include <string>

namespace steward {

// Whether it is an IPv4 or IPv6 address, without brackets, port or zone.
bool IsIpAddress(const std::string& text);

}  // namespace steward

#endif  // BASE_TEXT_IP_ADDRESS_H_
