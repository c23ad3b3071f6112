// The cluster, and the results of reads that the checks of doctor share. Not thread-safe.
#ifndef PLUGIN_DOCTOR_ENVIRONMENT_H_
#define PLUGIN_DOCTOR_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "plugin/doctor/deployment.h"
#include "plugin/doctor/diagnosis.h"

namespace steward::plugin {

struct Environment {
  kube::Client& client;
  Clock& clock;
  absl::Time now;  // the server's time if it says so, else this machine's
  absl::StatusOr<Deployments> deployments;
  std::string version;  // of this program
  bool dump;            // nothing runs, and nothing can be written (`steward inspect`)
  std::vector<Diagnosis>& findings;

  bool Has(const std::string& deployment) const {
    return deployments.ok() && deployments->contains(deployment);
  }
};

// The result of checks that need a live cluster.
inline absl::Status OnlyLive() { return absl::UnavailableError("only a live cluster says that"); }

// The remedy for an installation that lacks something, or differs from what is shipped.
inline constexpr char kApplyAgain[] =
    "apply your overlay again, as docs/install.md says: kubectl apply --server-side "
    "--force-conflicts -k OVERLAY";

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_ENVIRONMENT_H_
