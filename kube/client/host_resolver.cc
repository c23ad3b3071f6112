#include "kube/client/host_resolver.h"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "base/text/str_cat.h"

namespace steward::kube {

namespace asio = boost::asio;
using asio::ip::tcp;

absl::StatusOr<Endpoints> LookUpHost(const std::string& host, uint16_t port) {
  asio::io_context unused;
  tcp::resolver resolver(unused);
  boost::system::error_code error;
  const tcp::resolver::results_type found = resolver.resolve(host, std::to_string(port), error);
  if (error) return absl::UnavailableError(StrCat("resolving ", host, ": ", error.message()));
  return Endpoints(found.begin(), found.end());
}

HostResolver::HostResolver(asio::any_io_executor executor, std::string host, uint16_t port,
                           HostLookUp look_up)
    : call_(std::move(executor), StrCat("resolving ", host),
            [host, port, look_up = std::move(look_up)] { return look_up(host, port); }) {}

}  // namespace steward::kube
