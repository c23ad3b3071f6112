// The opening of a connection through a proxy, by HTTP's CONNECT (RFC 9110, 9.3.6) or by SOCKS 5
// (RFC 1928, 1929). Runs on the stream's executor.
#ifndef KUBE_CLIENT_TUNNEL_H_
#define KUBE_CLIENT_TUNNEL_H_

#include <cstdint>
#include <string>

#include "base/async/task.h"
#include "kube/client/byte_stream.h"
#include "kube/client/proxy.h"

namespace steward::kube {

// Has the proxy at the other end of `stream` connect to `host`, a name or an IP address, which the
// proxy resolves. From then on the stream is a connection to that host. kUnavailable with the
// proxy's reason. REQUIRES: the arguments outlive the task.
StatusTask OpenTunnel(ByteStream& stream, const Proxy& proxy, const std::string& host,
                      uint16_t port);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_TUNNEL_H_
