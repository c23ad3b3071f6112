// The flags of the reconciler "install-plans". A plain value.
#ifndef CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_
#define CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_

#include <string>

#include "absl/time/time.h"

namespace steward::controllers {

inline constexpr char kOptionalManifestsGate[] = "OptionalManifests";

struct InstallPlanFlags {
  // The time after the first try at which a lasting error makes a plan Failed.
  absl::Duration retry_timeout = absl::Minutes(1);
  // The file with the token of an account that may impersonate the users who preview a bundle; "" =
  // such previews are off.
  std::string bundle_preview_token_file;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_
