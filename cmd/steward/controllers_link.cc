#include "cmd/steward/controllers_link.h"

#include <utility>

#include "apiserver/upstream/cleanup_client.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"

namespace steward {

ControllersLink NoLinkToControllers(std::string reason) {
  ControllersLink link;
  link.pending = std::make_unique<upstream::NoControllers>(std::move(reason));
  return link;
}

absl::StatusOr<ControllersLink> LinkToControllers(const server::Options& options) {
  if (options.controllers_address.empty()) {
    return NoLinkToControllers(
        "this needs a live look by Steward's controllers, and this server does not know where they "
        "are (--controllers-address)");
  }
  upstream::ChannelOptions channel;
  channel.address = options.controllers_address;
  channel.ca_file = options.controllers_ca_file;
  channel.cert_file = options.controllers_client_cert_file;
  channel.key_file = options.controllers_client_key_file;
  ControllersLink link;
  ASSIGN_OR_RETURN(link.channel,
                   upstream::Channel::Create(std::move(channel), Clock::Real(), Random::Real()));
  link.pending = std::make_unique<upstream::CleanupClient>(*link.channel);
  return link;
}

}  // namespace steward
