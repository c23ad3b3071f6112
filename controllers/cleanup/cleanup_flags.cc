#include "controllers/cleanup/cleanup_flags.h"

namespace steward::controllers {

void AddCleanupFlags(FlagAdder& flags, CleanupFlags& values) {
  flags.Duration("--cleanup-stall-timeout", values.stall_timeout,
                 "How long a cleanup may make no progress before it is called stalled");
  flags.Switch("--cleanup-supported-by-default", values.supported_by_default,
               "Treat an unset spec.cleanup.enabled as true; false stays false");
  flags.Switch("--cleanup-owned-apiservices", values.owned_apiservices,
               "Also delete objects of the APIs that an operator serves itself "
               "(spec.apiservicedefinitions.owned)");
  flags.Switch("--cleanup-unmanaged-definitions", values.unmanaged_definitions,
               "Also delete custom resources of definitions that OLM did not install (they have "
               "neither label olm.managed nor olm.owner)");
  flags.Text("--cleanup-failure-condition", values.failure_condition,
             "Condition type by which an operator says, in its OperatorCondition, that it cannot "
             "finish its custom resources; empty: OperatorConditions are not read");
  flags.Switch("--allow-unprotected-opt-in", values.allow_unprotected_opt_in,
               "Clean up although no admission policy restricts who may opt in and uninstall");
  flags.Switch(
      "--release-all", values.release_all,
      "Remove Steward's finalizers from the rights of all operators, and exit. Use it before "
      "Steward is uninstalled, while none of its other processes runs");
}

absl::Status CheckCleanupFlags(const CleanupFlags& values) {
  if (values.stall_timeout > absl::ZeroDuration()) return absl::OkStatus();
  return absl::InvalidArgumentError("--cleanup-stall-timeout: must be longer than 0");
}

GuardOptions GuardsOf(const CleanupFlags& values) {
  GuardOptions guards;
  guards.allow_unprotected = values.allow_unprotected_opt_in;
  guards.collector_finalizers_stay = values.collector_finalizers_stay;
  guards.without_deployments = values.without_deployments;
  guards.csvs_built_in = values.csvs_built_in;
  guards.terms.supported_by_default = values.supported_by_default;
  guards.unmanaged_definitions = values.unmanaged_definitions;
  guards.terms.owned_apiservices = values.owned_apiservices;
  return guards;
}

}  // namespace steward::controllers
