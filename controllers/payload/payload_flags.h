// The flags of the reconciler "payload". A plain value.
#ifndef CONTROLLERS_PAYLOAD_PAYLOAD_FLAGS_H_
#define CONTROLLERS_PAYLOAD_PAYLOAD_FLAGS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "payload/payload_pass.h"

namespace steward::controllers {

struct PayloadFlags {
  std::string folder;
  payload::PayloadOptions options;
  std::vector<std::string> gates;         // feature gates that are on
  std::vector<std::string> capabilities;  // that are on
  std::string deletion = "non-blocking";  // or "blocking"
  absl::Duration deletion_timeout = absl::Minutes(5);
  absl::Duration interval = absl::Minutes(3);  // from one complete pass to the next

  // The options of a pass, with what the other fields say.
  payload::PayloadOptions Options() const;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_PAYLOAD_FLAGS_H_
