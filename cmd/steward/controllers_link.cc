#include "cmd/steward/controllers_link.h"

#include <utility>

#include "apiserver/upstream/controllers_client.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"

namespace steward {

absl::StatusOr<std::unique_ptr<upstream::PendingOperands>> LinkToControllers(
    const server::Options& options) {
  if (options.controllers_address.empty()) {
    return std::make_unique<upstream::NoControllers>(
        "this needs a live look by Steward's controllers, and this server does not know where they "
        "are (--controllers-address)");
  }
  upstream::ControllersClientOptions client;
  client.address = options.controllers_address;
  client.ca_file = options.controllers_ca_file;
  client.cert_file = options.controllers_client_cert_file;
  client.key_file = options.controllers_client_key_file;
  ASSIGN_OR_RETURN(
      std::unique_ptr<upstream::ControllersClient> link,
      upstream::ControllersClient::Create(std::move(client), Clock::Real(), Random::Real()));
  return link;
}

}  // namespace steward
