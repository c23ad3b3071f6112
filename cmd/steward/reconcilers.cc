#include "cmd/steward/reconcilers.h"

#include "controllers/cleanup/cleanup_reconciler.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/operator_group/operator_group.h"

namespace steward {
namespace {

using controllers::ReconcilerDeps;

ReconcilerFactory OperatorGroups(const ControllersOptions&, prometheus::Registry&) {
  return [](const ReconcilerDeps& deps) {
    return std::make_unique<controllers::OperatorGroupReconciler>(deps.client, deps.clock,
                                                                  deps.worlds);
  };
}

ReconcilerFactory Cleanup(const ControllersOptions& options, prometheus::Registry& registry) {
  controllers::CleanupOptions cleanup;
  cleanup.cleaner.stall_timeout = options.cleanup_stall_timeout;
  cleanup.cleaner.guards = GuardsOf(options);
  cleanup.cleaner.reporter.failure_condition = options.cleanup_failure_condition;
  const auto metrics = std::make_shared<controllers::CleanupMetrics>(registry);
  return [cleanup, metrics](const ReconcilerDeps& deps) {
    return std::make_unique<controllers::CleanupReconciler>(deps, *metrics, cleanup);
  };
}

}  // namespace

const std::vector<KnownReconciler>& KnownReconcilers() {
  // One line for each.
  static const auto& known = *new std::vector<KnownReconciler>{
      {controllers::CleanupControllerOptions(), true, Cleanup},
      {controllers::OperatorGroupOptions(), false, OperatorGroups},
  };
  return known;
}

controllers::GuardOptions GuardsOf(const ControllersOptions& options) {
  controllers::GuardOptions guards;
  guards.allow_unprotected = options.allow_unprotected_opt_in;
  guards.without_deployments = options.without_deployments;
  guards.csvs_built_in = options.csvs_built_in;
  guards.terms.supported_by_default = options.cleanup_supported_by_default;
  guards.unmanaged_definitions = options.cleanup_unmanaged_definitions;
  guards.terms.owned_apiservices = options.cleanup_owned_apiservices;
  return guards;
}

ReconcilerNames NamesOfReconcilers() {
  ReconcilerNames names;
  for (const KnownReconciler& reconciler : KnownReconcilers()) {
    names.known.push_back(reconciler.options.name);
    if (reconciler.by_default) names.by_default.push_back(reconciler.options.name);
  }
  return names;
}

std::vector<FeatureGate> KnownFeatureGates() { return {}; }

}  // namespace steward
