#include "cmd/steward/controllers_link.h"

#include <string_view>
#include <utility>

#include "apiserver/upstream/cleanup_client.h"
#include "apiserver/upstream/linked_previews.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

absl::StatusOr<FamilyLink> LinkTo(const server::ControllersEndpoint& endpoint,
                                  std::string_view flag) {
  FamilyLink link;
  if (endpoint.address.empty()) {
    link.absence = StrCat(
        "this needs a live look by Steward's controllers, and this server does not know where they "
        "are (",
        flag, ")");
    return link;
  }
  upstream::ChannelOptions channel;
  channel.address = endpoint.address;
  channel.ca_file = endpoint.ca_file;
  channel.cert_file = endpoint.client_cert_file;
  channel.key_file = endpoint.client_key_file;
  ASSIGN_OR_RETURN(link.channel,
                   upstream::Channel::Create(std::move(channel), Clock::Real(), Random::Real()));
  return link;
}

void AddClients(ControllersLinks& links) {
  if (links.cleanup.channel == nullptr) {
    links.pending = std::make_unique<upstream::NoControllers>(links.cleanup.absence);
  } else {
    links.pending = std::make_unique<upstream::CleanupClient>(*links.cleanup.channel);
  }
  const auto link = [](const FamilyLink& family) {
    return upstream::LinkedPreviews::Link{family.channel.get(), family.absence};
  };
  links.previews = std::make_unique<upstream::LinkedPreviews>(upstream::LinkedPreviews::Links{
      .plans = link(links.plans), .cleanup = link(links.cleanup), .copies = link(links.copies)});
}

}  // namespace

ControllersLinks NoLinksToControllers(const std::string& reason) {
  ControllersLinks links;
  for (FamilyLink* link : {&links.cleanup, &links.plans, &links.copies}) {
    link->absence = reason;
  }
  AddClients(links);
  return links;
}

absl::StatusOr<ControllersLinks> LinkToControllers(const server::Options& options) {
  ControllersLinks links;
  ASSIGN_OR_RETURN(links.cleanup, LinkTo(options.controllers, "--controllers-address"));
  ASSIGN_OR_RETURN(links.plans, LinkTo(options.plan_controllers, "--plan-controllers-address"));
  ASSIGN_OR_RETURN(links.copies,
                   LinkTo(options.copied_csv_controllers, "--copied-csv-controllers-address"));
  AddClients(links);
  return links;
}

}  // namespace steward
