// Explains whether an operator watches a namespace, and whether the namespace shows the operator
// (R-004-43, R-PRJ-06). A pure function.
#ifndef OLM_PRESENCE_H_
#define OLM_PRESENCE_H_

#include <optional>
#include <string>
#include <vector>

#include "olm/objects.h"
#include "olm/targets.h"

namespace steward::olm {

enum class Answer { kNo, kUnknown, kYes };

// One rule, and its answer for this operator and namespace.
struct PresenceFinding {
  Answer answer = Answer::kUnknown;
  std::string rule;  // "OperatorGroup", "Targets", "Label", "InstallMode", "Phase", "SameName"
  std::string text;  // a sentence
};

// The facts about the operator and the namespace. A fact that could not be read is nullopt.
struct PresenceInputs {
  const Csv* csv = nullptr;                              // REQUIRED: an original
  std::string ns;                                        // the namespace that is asked about
  std::optional<kube::LabelMap> labels;                  // of that namespace
  std::optional<std::vector<OperatorGroupPtr>> groups;   // all of the operator's own namespace
  std::optional<std::vector<InstallModeSupport>> modes;  // spec.installModes of the operator
  std::optional<TargetSummary> targets;                  // of the only group, if there is one
  const Csv* rival = nullptr;  // the best other original of this name in `ns` (WinsIn)
};

struct Presence {
  Answer watches = Answer::kUnknown;  // it was installed for this namespace, perhaps among others
  Answer shown = Answer::kUnknown;    // the namespace has an InstalledOperator for it
  std::vector<PresenceFinding> findings;  // in the order of the rules
};

Presence ExplainPresence(const PresenceInputs& inputs);

// Explains all originals of one name in one namespace: finds the rival of each.
std::vector<Presence> ExplainPresences(std::vector<PresenceInputs> of_one_name);

}  // namespace steward::olm

#endif  // OLM_PRESENCE_H_
