// The flags about payloads that the reconciler and the commands share. Plain values.
#ifndef PAYLOAD_PAYLOAD_FLAGS_H_
#define PAYLOAD_PAYLOAD_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "payload/payload_pass.h"

namespace steward::payload {

struct PayloadFlags {
  PayloadOptions options;
  std::vector<std::string> gates;         // feature gates that are on
  std::vector<std::string> capabilities;  // that are on
  std::string deletion = "non-blocking";  // or "blocking"
  absl::Duration deletion_timeout = absl::Minutes(5);

  // The options of a pass, with what the other fields say.
  PayloadOptions Options() const;
  // kInvalidArgument names the flag whose value cannot be used.
  absl::Status Check() const;
};

// What each adds is bound to `flags`, which outlives the parsing.

// For whom the payload is: profile, feature set and gates, capabilities, the record's namespace.
void AddClusterFlags(FlagAdder& adder, PayloadFlags& flags);
// The payload's version, where its folder does not say it.
void AddVersionFlag(FlagAdder& adder, PayloadFlags& flags);
// What a pass over it does: version, installation, what is deleted again or late.
void AddPassFlags(FlagAdder& adder, PayloadFlags& flags);
// Whether deletions are waited for.
void AddDeletionFlags(FlagAdder& adder, PayloadFlags& flags);
// How long an update waits for what it applies.
void AddWaitFlag(FlagAdder& adder, PayloadFlags& flags);
// Whether preconditions are overridden; under `name`.
void AddForceFlag(FlagAdder& adder, PayloadFlags& flags, const char* name);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_FLAGS_H_
