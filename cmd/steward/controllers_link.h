// The link from an API server to the controllers. Its clients are thread-safe.
#ifndef CMD_STEWARD_CONTROLLERS_LINK_H_
#define CMD_STEWARD_CONTROLLERS_LINK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/server/options.h"
#include "apiserver/upstream/channel.h"
#include "apiserver/upstream/pending_operands.h"

namespace steward {

// The clients of the controllers' services, all over one channel.
struct ControllersLink {
  std::unique_ptr<upstream::Channel> channel;  // null: there is no link
  std::unique_ptr<upstream::PendingOperands> pending;
};

// A link that answers all questions with 503 and this reason.
ControllersLink NoLinkToControllers(std::string reason);

// The link to --controllers-address; where that is empty, one that answers with 503. Errors name a
// file that cannot be used.
absl::StatusOr<ControllersLink> LinkToControllers(const server::Options& options);

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLERS_LINK_H_
