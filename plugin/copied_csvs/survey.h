// A cluster's copies of operators for all namespaces, and the effect of turning such copies off or
// on. Immutable once read.
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

// The copies of one operator that are there, or should be.
struct OperatorCopies {
  kube::NamespacedName csv;
  // Why copies stay although the setting may want them gone; "" = no copy stays.
  std::string_view stays_since;
  bool gone = false;  // the operator itself is not there any more
  int64_t present = 0;
  // The namespaces in which a copy is to be made, is to be deleted, and stays although the setting
  // may want it gone.
  std::set<std::string> creates;
  std::set<std::string> deletes;
  std::set<std::string> stays;
};

// Takes memory for all originals, and for the names of namespaces and copies.
class CopiesSurvey {
 public:
  // Reads the whole cluster with the user's rights. An error says which read failed.
  static Task<CopiesSurvey> Read(kube::Client& client);

  // Compares the copies with what the setting wants; `off` is disableCopiedCSVs. The result has the
  // operators for all namespaces, and other operators that have copies left, sorted. Uses the rules
  // of the reconcilers (olm/copy/slot.h), except that it cannot know the namespaces that the
  // controllers protect.
  std::vector<OperatorCopies> Compare(bool off) const;

 private:
  StatusTask ReadAll(kube::Client& client);
  std::vector<olm::Original> OriginalsOf(const std::string& name) const;

  std::vector<olm::NamespacePtr> namespaces_;
  std::map<std::string, std::vector<olm::OperatorGroupPtr>> groups_;  // by namespace
  std::map<kube::NamespacedName, olm::CsvPtr> csvs_;                  // without the label of a copy
  // the copies, with their originals' namespaces
  std::map<kube::NamespacedName, std::string> copies_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_SURVEY_H_
