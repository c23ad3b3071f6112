// How an API server asks the controllers.
#ifndef CMD_STEWARD_CONTROLLERS_LINK_H_
#define CMD_STEWARD_CONTROLLERS_LINK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/server/options.h"
#include "apiserver/upstream/pending_operands.h"

namespace steward {

// By --controllers-address; where that is empty, all questions are answered with 503. Errors name a
// file that cannot be used.
absl::StatusOr<std::unique_ptr<upstream::PendingOperands>> LinkToControllers(
    const server::Options& options);

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLERS_LINK_H_
