#include "controllers/cleanup/cleanup_flags.h"

namespace steward::controllers {

void AddCleanupFlags(FlagAdder& flags, CleanupFlags& values) {
  flags.Duration("--cleanup-stall-timeout", values.stall_timeout,
                 "How long a cleanup may make no progress before it is called stalled");
  flags.Switch("--cleanup-supported-by-default", values.supported_by_default,
               "Take operators for supporting cleanup whose spec.cleanup.enabled is not there; "
               "false stays false");
  flags.Switch("--cleanup-owned-apiservices", values.owned_apiservices,
               "Clean up also what operators store in APIs that they serve by themselves "
               "(spec.apiservicedefinitions.owned)");
  flags.Switch("--cleanup-unmanaged-definitions", values.unmanaged_definitions,
               "Clean up also what is of definitions that OLM did not install (without the label "
               "olm.managed or olm.owner)");
  flags.Text("--cleanup-failure-condition", values.failure_condition,
             "Type of the condition by which operators say, in their OperatorCondition, that they "
             "cannot finish their custom resources; empty: nobody asks them");
  flags.Switch("--allow-unprotected-opt-in", values.allow_unprotected_opt_in,
               "Clean up although no admission policy says who may opt in");
  flags.Switch("--release-all", values.release_all,
               "Let go of all operators' rights that are held, and end; for when Steward is to "
               "be uninstalled, and no other process of it runs");
}

absl::Status CheckCleanupFlags(const CleanupFlags& values) {
  if (values.stall_timeout > absl::ZeroDuration()) return absl::OkStatus();
  return absl::InvalidArgumentError("--cleanup-stall-timeout: must be longer than 0");
}

GuardOptions GuardsOf(const CleanupFlags& values) {
  GuardOptions guards;
  guards.allow_unprotected = values.allow_unprotected_opt_in;
  guards.without_deployments = values.without_deployments;
  guards.csvs_built_in = values.csvs_built_in;
  guards.terms.supported_by_default = values.supported_by_default;
  guards.unmanaged_definitions = values.unmanaged_definitions;
  guards.terms.owned_apiservices = values.owned_apiservices;
  return guards;
}

}  // namespace steward::controllers
