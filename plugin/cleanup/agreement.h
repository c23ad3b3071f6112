// The agreement of an administrator: what was shown, and may be deleted. Values.
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

// While a question waits for its answer, others may make the operator own more, as long as it is
// not opted in. Nothing may be added to what was agreed to; less is allowed.
struct Agreement {
  std::map<std::string, std::string> definitions;  // owned ones, by name: the UID; "" = none
  std::map<std::string, olm::OwnedApi> apis;       // owned ones, by name
  olm::TargetSet targets;
};

Agreement AgreementOf(const Csv& csv, const std::vector<olm::CrdPlan>& plans,
                      olm::TargetSet targets);

// Refuses, naming what is new, when the operator now owns what was not agreed to.
absl::Status CheckOwned(const Agreement& agreed, const Csv& now);
// Refuses new namespaces, and names them.
absl::Status CheckTargets(const Agreement& agreed, const olm::TargetSet& now);
// Refuses for definitions that were made anew since: they are other ones. An error when one cannot
// be read.
StatusTask CheckDefinitions(kube::Client& client, Agreement agreed);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_AGREEMENT_H_
