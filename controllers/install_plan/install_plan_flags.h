// The flags of the reconciler "install-plans". A plain value.
#ifndef CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_
#define CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_

#include <string>

#include "absl/time/time.h"

namespace steward::controllers {

inline constexpr char kOptionalManifestsGate[] = "OptionalManifests";

struct InstallPlanFlags {
  // The time from the first try after which an error makes a plan Failed.
  absl::Duration retry_timeout = absl::Minutes(1);
  // The token of the account that may act as whoever asks for the preview of a bundle; "" = such
  // previews are off.
  std::string bundle_preview_token_file;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_INSTALL_PLAN_FLAGS_H_
