// The names of reconcilers on the command line. Pure functions.
#ifndef CMD_STEWARD_RECONCILER_NAMES_H_
#define CMD_STEWARD_RECONCILER_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "controllers/runtime/known_reconciler.h"

namespace steward {

// "cleanup, copied-csvs": for texts of --help and errors.
std::string NamesOf(const std::vector<controllers::KnownReconciler>& known);

// kInvalidArgument, with a sentence that begins with --reconcilers, when there is no name, or one
// that no known reconciler has.
absl::Status CheckReconcilerNames(const std::vector<std::string>& names,
                                  const std::vector<controllers::KnownReconciler>& known);

}  // namespace steward

#endif  // CMD_STEWARD_RECONCILER_NAMES_H_
