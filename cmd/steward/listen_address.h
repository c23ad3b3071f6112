// Addresses to listen on, in the form that Kubernetes' controllers accept. Values and pure
// functions.
#ifndef CMD_STEWARD_LISTEN_ADDRESS_H_
#define CMD_STEWARD_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace steward {

struct ListenAddress {
  std::string ip;  // "" = nothing is served; "::" = all addresses
  uint16_t port = 0;

  bool off() const { return ip.empty(); }
  // The form is "127.0.0.1:9443" or "[::1]:9443".
  std::string ToString() const;
};

// Accepts "127.0.0.1:8080", "[::1]:8080", ":8080" (all addresses) and "0" (nothing). Other texts
// are kInvalidArgument, with one sentence that names the flag.
absl::StatusOr<ListenAddress> ParseListenAddress(const std::string& flag, const std::string& text);

}  // namespace steward

#endif  // CMD_STEWARD_LISTEN_ADDRESS_H_
