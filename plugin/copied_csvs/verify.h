// The command kubectl steward copied-csvs verify. Not thread-safe.
#ifndef PLUGIN_COPIED_CSVS_VERIFY_H_
#define PLUGIN_COPIED_CSVS_VERIFY_H_

#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

struct VerifyOptions {
  std::string ns;                            // "" = all namespaces
  absl::Duration timeout = kDefaultTimeout;  // zero = none
};

// The number of objects whose differences are shown; the others are counted.
inline constexpr size_t kMostShown = 100;

// Compares the copies of ClusterServiceVersions with the InstalledOperators, one namespace after
// the other, and says what turning copies off would save. Both sides of a difference are read again
// before it counts. kFailedPrecondition if something differs. If copies are turned off, an
// InstalledOperator without a copy is no difference. Refused if the user may not read one of the
// two. Memory: the namespaces' names, a page of each side, and what is shown.
//
// REQUIRES: the session outlives the task.
StatusTask VerifyCopies(Session& session, VerifyOptions options);

KnownCommand KnownVerify();

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_VERIFY_H_
