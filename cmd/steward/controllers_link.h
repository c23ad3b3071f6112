// The links from an API server to the controllers. The clients over them are thread-safe.
#ifndef CMD_STEWARD_CONTROLLERS_LINK_H_
#define CMD_STEWARD_CONTROLLERS_LINK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/server/options.h"
#include "apiserver/upstream/channel.h"
#include "apiserver/upstream/pending_operands.h"
#include "apiserver/upstream/previews.h"

namespace steward {

// The channel to one family's controllers, with connections, limits and a circuit of its own.
struct FamilyLink {
  std::unique_ptr<upstream::Channel> channel;  // null: there is none
  std::string absence;                         // why there is none: the message of a 503
};

// One link for each family that has a service, and the clients over them.
struct ControllersLinks {
  FamilyLink cleanup;
  FamilyLink plans;
  FamilyLink copies;
  std::unique_ptr<upstream::PendingOperands> pending;  // over `cleanup`
  std::unique_ptr<upstream::Previews> previews;        // over all of them
};

// Links that answer every question with 503 and this reason.
ControllersLinks NoLinksToControllers(const std::string& reason);

// The links to the addresses in `options`. A link without an address answers every question with
// 503. An error names the file that cannot be used.
absl::StatusOr<ControllersLinks> LinkToControllers(const server::Options& options);

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLERS_LINK_H_
