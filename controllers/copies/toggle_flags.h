// The flags about the cluster-admin's choice whether operators for all namespaces are copied.
// Stateless functions.
#ifndef CONTROLLERS_COPIES_TOGGLE_FLAGS_H_
#define CONTROLLERS_COPIES_TOGGLE_FLAGS_H_

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/copies/copy_toggle.h"

namespace steward::controllers {

// Adds --disable-copied-csvs and --protected-copied-csv-namespaces.
void AddToggleFlags(FlagAdder& adder, FlagValues& values);
// kInvalidArgument with one sentence that names the flag and the error.
absl::Status CheckToggleFlags(const FlagValues& values);
CopyToggleDefaults ToggleDefaultsOf(const FlagValues& values);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_TOGGLE_FLAGS_H_
