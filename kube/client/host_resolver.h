// Host name resolution for coroutines that can be cancelled. Lives on its executor.
#ifndef KUBE_CLIENT_HOST_RESOLVER_H_
#define KUBE_CLIENT_HOST_RESOLVER_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/blocking_call.h"
#include "base/async/task.h"

namespace steward::kube {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

// A blocking look-up of a name.
using HostLookUp = std::function<absl::StatusOr<Endpoints>(const std::string& host, uint16_t port)>;
// Looks up by getaddrinfo(3). It blocks for as long as the name servers' time limits allow; nothing
// can interrupt it. kUnavailable with the reason.
absl::StatusOr<Endpoints> LookUpHost(const std::string& host, uint16_t port);

class HostResolver {
 public:
  // REQUIRES: `executor` runs one handler at a time, and outlives the resolver.
  HostResolver(boost::asio::any_io_executor executor, std::string host, uint16_t port,
               HostLookUp look_up = LookUpHost);

  // Returns at least one address; kUnavailable with the reason. Concurrent callers share one
  // look-up.
  Task<Endpoints> Resolve() { return call_.Run(); }

 private:
  BlockingCall<Endpoints> call_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_HOST_RESOLVER_H_
