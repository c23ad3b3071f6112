// The factory of connections to one API server. Lives on its executor.
#ifndef KUBE_CLIENT_DIALER_H_
#define KUBE_CLIENT_DIALER_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/tls/certificate.h"
#include "kube/client/byte_stream.h"
#include "kube/client/config.h"
#include "kube/client/host_resolver.h"

namespace steward::kube {

class Dialer {
 public:
  virtual ~Dialer() = default;
  // Resolves, connects, through the proxy if there is one, and with TLS verifies the server.
  // kUnavailable with the reason.
  virtual Task<std::unique_ptr<ByteStream>> Dial() = 0;
  // New connections present this certificate in place of the configuration's. kInvalidArgument if
  // it does not parse; then the previous one stays.
  virtual absl::Status UseCertificate(const PemKeyPair& certificate) = 0;
};

// TLS 1.2 or newer; the server's chain is verified against the configured authorities and its name
// or address against the certificate (RFC 6125), unless the configuration says otherwise. A proxy
// that speaks TLS itself is verified in the same way, by its own name. TCP keepalive finds dead
// peers within about a minute. kInvalidArgument for certificates or keys that do not parse.
// `look_up` finds the addresses of a host that is a name.
absl::StatusOr<std::unique_ptr<Dialer>> MakeDialer(const ClientConfig& config,
                                                   boost::asio::any_io_executor executor,
                                                   HostLookUp look_up = LookUpHost);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_DIALER_H_
