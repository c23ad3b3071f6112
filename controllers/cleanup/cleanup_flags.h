// The flags of the reconciler "cleanup". Values and pure functions.
#ifndef CONTROLLERS_CLEANUP_CLEANUP_FLAGS_H_
#define CONTROLLERS_CLEANUP_CLEANUP_FLAGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "controllers/cleanup/guards/guard_reader.h"

namespace steward::controllers {

struct CleanupFlags {
  absl::Duration stall_timeout = absl::Minutes(10);
  bool supported_by_default = false;
  bool owned_apiservices = false;
  bool unmanaged_definitions = false;
  std::string failure_condition;  // "" = do not ask operators
  bool allow_unprotected_opt_in = false;
  // The garbage collector's finalizers stay as long as others do (`steward up`).
  bool collector_finalizers_stay = false;
  // Release all held rights, and end.
  bool release_all = false;
  // True where no operators' Deployments run (`steward up`), so that their absence proves nothing.
  // No flag sets it.
  bool without_deployments = false;
  // True where ClusterServiceVersions need no definition (`steward up`). No flag sets it.
  bool csvs_built_in = false;
};

// Adds the flags. `values` has the defaults, and outlives the parsing.
void AddCleanupFlags(FlagAdder& flags, CleanupFlags& values);
// Returns kInvalidArgument with one sentence that names the flag and the error.
absl::Status CheckCleanupFlags(const CleanupFlags& values);

// The options with which the guards read this cluster.
GuardOptions GuardsOf(const CleanupFlags& values);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_FLAGS_H_
