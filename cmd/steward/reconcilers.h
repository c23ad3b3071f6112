// The reconcilers that `steward controllers` can run: the one list of them.
#ifndef CMD_STEWARD_RECONCILERS_H_
#define CMD_STEWARD_RECONCILERS_H_

#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/flags/feature_gates.h"
#include "cmd/steward/controllers_options.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward {

// Makes a reconciler for one term of leadership.
using ReconcilerFactory =
    std::function<std::unique_ptr<controllers::Reconciler>(const controllers::ReconcilerDeps&)>;

struct KnownReconciler {
  controllers::ControllerOptions options;  // with its name, by which --reconcilers knows it
  bool by_default = false;
  // Called once. What it needs beside the dependencies it takes from the flags, and what it keeps
  // for all terms, its metrics, is the factory's. `registry` outlives that.
  std::function<ReconcilerFactory(const ControllersOptions&, prometheus::Registry& registry)>
      prepare;
};

// In the order in which they are started.
const std::vector<KnownReconciler>& KnownReconcilers();

// How cleanup's guards look at this cluster.
controllers::GuardOptions GuardsOf(const ControllersOptions& options);

// What --reconcilers may name, and names unless it is given.
ReconcilerNames NamesOfReconcilers();

// What --feature-gates may name.
std::vector<FeatureGate> KnownFeatureGates();

}  // namespace steward

#endif  // CMD_STEWARD_RECONCILERS_H_
