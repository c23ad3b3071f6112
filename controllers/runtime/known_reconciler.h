// The description of a reconciler before it runs: its name, its flags, and how it is made.
// Immutable.
#ifndef CONTROLLERS_RUNTIME_KNOWN_RECONCILER_H_
#define CONTROLLERS_RUNTIME_KNOWN_RECONCILER_H_

#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/peer_presence.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

// Makes a reconciler for one term of leadership.
using ReconcilerFactory = std::function<std::unique_ptr<Reconciler>(const ReconcilerDeps&)>;

// Reconcilers that run together, with a Deployment, a ServiceAccount, rights and a Lease of their
// own, so that one family's rights are not widened for another. A value.
struct ReconcilerFamily {
  std::string name;
  std::string lease_name;  // unless --leader-elect-lease-name names another
  // True if its reconcilers read Worlds of operators. If false, the family's processes do not watch
  // the objects that Worlds are made of, and need no rights for them.
  bool uses_worlds = true;
  // The ValidatingAdmissionPolicies of deploy/ that restrict the family's account, or on which its
  // reconcilers rely. The account may read these policies and their bindings, by name.
  std::set<std::string> policies = {};
};

// Made by the reconciler's own folder, and listed in cmd/steward/reconcilers.cc.
struct KnownReconciler {
  ControllerOptions options;  // with the name by which --reconcilers knows it
  ReconcilerFamily family;
  bool by_default = false;
  // False: it runs in every process, leader or not, and its writes are not fenced. So they must be
  // harmless if two processes make them.
  bool elected = true;
  // The reconciler without which this one does nothing; "" = none.
  std::string needs;
  // Operators of others that do the same. The reconciler does not run while one of them runs,
  // unless --takeover.
  std::set<PeerOperator> conflicts_with;
  // Binds its flags to a value of `values`, which has a type of its own. Null: it has no flags.
  std::function<void(FlagAdder& flags, FlagValues& values)> add_flags;
  // The reconciler cannot run without one of its flags, so `steward up` has the flags, too.
  bool needs_flags = false;
  // Called when all flags have been read: kInvalidArgument with one sentence that names the flag
  // and the error. `runs`: the reconciler was chosen to run. Null: there is nothing to check.
  std::function<absl::Status(const FlagValues& values, bool runs)> check_flags;
  // Called once. The factory keeps objects that last for all terms, such as metrics. `registry`
  // outlives the factory.
  std::function<ReconcilerFactory(const FlagValues& values, prometheus::Registry& registry)>
      prepare;
};

// A `prepare` for reconcilers whose constructor takes their deps, metrics that last for all terms,
// and their flags.
template <typename R, typename Metrics, typename Flags>
ReconcilerFactory PrepareReconciler(const FlagValues& values, prometheus::Registry& registry) {
  const auto flags = values.Get<Flags>();
  const auto metrics = std::make_shared<Metrics>(registry);
  return [flags, metrics](const ReconcilerDeps& deps) {
    return std::make_unique<R>(deps, *metrics, flags);
  };
}

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_KNOWN_RECONCILER_H_
