// Host name resolution for coroutines that can be cancelled. Lives on its executor.
#ifndef KUBE_CLIENT_HOST_RESOLVER_H_
#define KUBE_CLIENT_HOST_RESOLVER_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/task.h"

namespace steward::kube {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

// A blocking look-up of a name.
using HostLookUp = std::function<absl::StatusOr<Endpoints>(const std::string& host, uint16_t port)>;
// Looks up by getaddrinfo(3). kUnavailable with the reason.
absl::StatusOr<Endpoints> LookUpHost(const std::string& host, uint16_t port);

// getaddrinfo(3) blocks for as long as the name servers' time limits allow, and nothing interrupts
// it. So it runs on a thread of its own, for which nothing waits: a cancelled Resolve ends at once,
// and so does the destruction of a resolver. A caller that comes while a look-up runs shares its
// result, even if the caller that began it was cancelled: there is never more than one thread per
// resolver.
class HostResolver {
 public:
  // REQUIRES: `executor` runs one handler at a time, and outlives the resolver.
  HostResolver(boost::asio::any_io_executor executor, std::string host, uint16_t port,
               HostLookUp look_up = LookUpHost);
  // REQUIRES: no Resolve is running.
  ~HostResolver();
  HostResolver(const HostResolver&) = delete;
  HostResolver& operator=(const HostResolver&) = delete;

  // Returns at least one address; kUnavailable with the reason.
  Task<Endpoints> Resolve();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_HOST_RESOLVER_H_
