// A cluster's copies of operators for all namespaces, and the effect of turning them off or on.
// Immutable once read.
#ifndef PLUGIN_COPIED_CSVS_SURVEY_H_
#define PLUGIN_COPIED_CSVS_SURVEY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"

namespace steward::plugin {

// The slots of one operator's copies.
struct OperatorCopies {
  kube::NamespacedName csv;
  // Why copies stay that the choice may want gone; "" = none does.
  std::string_view stays_since;
  bool gone = false;  // the operator itself is not there any more
  int64_t present = 0;
  // Namespaces in which a copy is to be made, those in which one is to be deleted, and those in
  // which one stays although the choice may want it gone.
  std::set<std::string> creates;
  std::set<std::string> deletes;
  std::set<std::string> stays;
};

// Takes memory for all originals, and for the names of namespaces and copies.
class CopiesSurvey {
 public:
  // Reads the whole cluster with the user's rights. Errors are those of the reads, with what was
  // read.
  static Task<CopiesSurvey> Read(kube::Client& client);

  // The operators for all namespaces, and others of which copies lie about, sorted, compared with
  // what the choice wants; `off` is disableCopiedCSVs. By the rules of the reconcilers
  // (olm/copy/slot.h), but without the namespaces that controllers protect, which they know alone.
  std::vector<OperatorCopies> Compare(bool off) const;

 private:
  StatusTask ReadAll(kube::Client& client);
  std::vector<olm::Original> OriginalsOf(const std::string& name) const;

  std::vector<olm::NamespacePtr> namespaces_;
  std::map<std::string, std::vector<olm::OperatorGroupPtr>> groups_;  // by namespace
  std::map<kube::NamespacedName, olm::CsvPtr> csvs_;                  // without the label of a copy
  std::map<kube::NamespacedName, std::string> copies_;  // and their originals' namespace
};

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_SURVEY_H_
