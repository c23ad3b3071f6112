// The agreement of an administrator: what was shown and may be deleted. Values.
#ifndef PLUGIN_CLEANUP_AGREEMENT_H_
#define PLUGIN_CLEANUP_AGREEMENT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"
#include "plugin/cluster/csv.h"

namespace steward::plugin {

// What the administrator agreed to. While a question waits for its answer, others may make the
// operator own more, unless it is opted in. An operator that owns less than was agreed to is fine;
// one that owns more is refused.
struct Agreement {
  std::map<std::string, std::string> definitions;  // owned ones, by name: the UID; "" = none
  std::map<std::string, olm::OwnedApi> apis;       // owned ones, by name
  olm::TargetSet targets;
};

Agreement AgreementOf(const Csv& csv, const std::vector<olm::CrdPlan>& plans,
                      olm::TargetSet targets);

// Refuses, naming the additions, if the operator now owns more than was agreed to.
absl::Status CheckOwned(const Agreement& agreed, const Csv& now);
// Refuses if there are new target namespaces, and names them.
absl::Status CheckTargets(const Agreement& agreed, const olm::TargetSet& now);
// Refuses if a definition was deleted and created again since, because it is another one then. An
// error when a definition cannot be read.
StatusTask CheckDefinitions(kube::Client& client, Agreement agreed);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_AGREEMENT_H_
