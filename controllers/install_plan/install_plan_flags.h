// The flags of the reconciler "install-plans". A plain value.
#ifndef CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_
#define CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_

#include "absl/time/time.h"

namespace steward::controllers {

inline constexpr char kOptionalManifestsGate[] = "OptionalManifests";

struct InstallPlanFlags {
  // The time from the first try after which an error makes a plan Failed.
  absl::Duration retry_timeout = absl::Minutes(1);
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_
