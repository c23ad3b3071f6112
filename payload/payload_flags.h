// The payload flags that the reconciler and the commands share. Plain values.
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
  std::vector<std::string> gates;         // the enabled feature gates
  std::vector<std::string> capabilities;  // the enabled ones
  std::string deletion = "non-blocking";  // or "blocking"
  absl::Duration deletion_timeout = absl::Minutes(5);

  // Returns the options of a pass, completed from the other fields.
  PayloadOptions Options() const;
  // Fails with kInvalidArgument, which names the flag, if a value cannot be used.
  absl::Status Check() const;
};

// Each function binds its options to `flags`. REQUIRES: `flags` outlives the parsing.

// Adds the flags about the cluster: profile, feature set and gates, capabilities, the record's
// namespace.
void AddClusterFlags(FlagAdder& adder, PayloadFlags& flags);
// Adds the flag for the payload's version, in case its folder does not say it.
void AddVersionFlag(FlagAdder& adder, PayloadFlags& flags);
// Adds the flags about a pass: version, installation, repeated and late deletions.
void AddPassFlags(FlagAdder& adder, PayloadFlags& flags);
// Adds the flag that says whether to wait for deletions.
void AddDeletionFlags(FlagAdder& adder, PayloadFlags& flags);
// Adds the flag for the time that an update waits for each applied object.
void AddWaitFlag(FlagAdder& adder, PayloadFlags& flags);
// Adds the flag `name`, which overrides preconditions.
void AddForceFlag(FlagAdder& adder, PayloadFlags& flags, const char* name);

}  // namespace steward::payload

#endif  // PAYLOAD_PAYLOAD_FLAGS_H_
