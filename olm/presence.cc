#include "olm/presence.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "olm/collision.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

using Operator = kube::LabelSelector::Operator;

// The first names of a list that may be long.
std::string SomeOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(names.size(), kShown);
  const std::string text = absl::StrJoin(names.begin(), names.begin() + shown, ", ");
  return shown == names.size() ? text : StrCat(text, " and ", names.size() - shown, " more");
}

std::string Required(const kube::LabelSelector::Requirement& requirement) {
  const std::string values = absl::StrJoin(requirement.values, ", ");
  switch (requirement.op) {
    case Operator::kIn:
      return requirement.values.size() == 1 ? StrCat(requirement.key, "=", values)
                                            : StrCat(requirement.key, " in (", values, ")");
    case Operator::kNotIn:
      return StrCat(requirement.key, " notin (", values, ")");
    case Operator::kExists:
      return requirement.key;
    case Operator::kDoesNotExist:
      return StrCat("!", requirement.key);
    case Operator::kGreaterThan:
      return StrCat(requirement.key, ">", values);
    case Operator::kLessThan:
      return StrCat(requirement.key, "<", values);
  }
  return requirement.key;
}

Answer And(Answer a, Answer b) { return std::min(a, b); }

// Goes through the rules in order.
class Explanation {
 public:
  explicit Explanation(const PresenceInputs& inputs) : in_(inputs), csv_(*inputs.csv) {}

  Presence Explain() {
    const OperatorGroup* group = nullptr;
    Answer targeted = FindGroup(group);
    if (group != nullptr) targeted = IsTargeted(*group);
    if (targeted != Answer::kNo && group != nullptr) {
      result_.watches = And(targeted, RunsAsAsked());
    } else {
      result_.watches = targeted;
    }
    const Answer copied = IsCopiedByOlm();
    result_.watches = And(result_.watches, copied);
    const bool own = csv_.key.ns == in_.ns;
    if (own) Find(Answer::kYes, "Own", "It is installed in this namespace, which always shows it");
    result_.shown = And(own ? Answer::kYes : And(targeted, copied), IsPreferred());
    return std::move(result_);
  }

 private:
  void Find(Answer answer, std::string rule, std::string text) {
    result_.findings.push_back({answer, std::move(rule), std::move(text)});
  }

  // Sets `group` to the effective OperatorGroup, if there is one.
  Answer FindGroup(const OperatorGroup*& group) {
    const std::string& home = csv_.key.ns;
    if (!in_.groups) {
      Find(Answer::kUnknown, "OperatorGroup",
           StrCat("The OperatorGroups of ", home, " cannot be read"));
      return Answer::kUnknown;
    }
    if (in_.groups->empty()) {
      Find(Answer::kNo, "OperatorGroup",
           StrCat(home, " has no OperatorGroup, and without one an operator watches nothing"));
      return Answer::kNo;
    }
    if (in_.groups->size() > 1) {
      std::vector<std::string> names;
      for (const OperatorGroupPtr& each : *in_.groups) names.push_back(each->key.name);
      Find(Answer::kNo, "OperatorGroup",
           StrCat(home, " has ", names.size(), " OperatorGroups (", SomeOf(names),
                  "), of which none counts"));
      return Answer::kNo;
    }
    const OperatorGroup& only = *in_.groups->front();
    const std::string& why = only.invalid.empty() ? only.unreadable : only.invalid;
    if (!why.empty()) {
      Find(Answer::kNo, "OperatorGroup",
           StrCat("OperatorGroup ", home, "/", only.key.name, " cannot be used: ", why));
      return Answer::kNo;
    }
    group = &only;
    return Answer::kYes;
  }

  Answer IsTargeted(const OperatorGroup& group) {
    const std::string name = StrCat("OperatorGroup ", group.key.ns, "/", group.key.name);
    switch (KindOfTargets(group)) {
      case TargetKind::kNone:
        return Answer::kNo;
      case TargetKind::kAll:
        Find(Answer::kYes, "Targets", StrCat(name, " targets all namespaces"));
        return Answer::kYes;
      case TargetKind::kList: {
        const Answer answer = Targets(group, in_.ns, {}) ? Answer::kYes : Answer::kNo;
        Find(answer, "Targets",
             StrCat(name, " targets ", SomeOf(group.target_namespaces), " by name",
                    answer == Answer::kYes ? "" : StrCat(", and not ", in_.ns)));
        return answer;
      }
      case TargetKind::kSelector:
        return IsSelected(group, name);
    }
    return Answer::kNo;
  }

  Answer IsSelected(const OperatorGroup& group, const std::string& name) {
    if (!in_.labels) {
      Find(Answer::kUnknown, "Targets",
           StrCat(name, " selects namespaces by ", group.selector->ToString(),
                  ", and the labels of ", in_.ns, " cannot be read"));
      return Answer::kUnknown;
    }
    const Answer answer = Targets(group, in_.ns, *in_.labels) ? Answer::kYes : Answer::kNo;
    Find(answer, "Targets",
         StrCat(name, answer == Answer::kYes ? " selects" : " does not select", " ", in_.ns,
                " by its labels"));
    for (const auto& requirement : group.selector->requirements()) FindLabel(requirement);
    return answer;
  }

  void FindLabel(const kube::LabelSelector::Requirement& requirement) {
    const auto selector = kube::LabelSelector::Parse(Required(requirement));
    const auto label = in_.labels->find(requirement.key);
    const std::string has = label == in_.labels->end()
                                ? StrCat("has no label ", requirement.key)
                                : StrCat("has ", requirement.key, "=", label->second);
    const bool matches = selector.ok() && selector->Matches(*in_.labels);
    Find(matches ? Answer::kYes : Answer::kNo, "Label",
         StrCat(Required(requirement), ": ", in_.ns, " ", has));
  }

  // Returns whether the operator supports the install mode of the targets.
  Answer RunsAsAsked() {
    if (!in_.targets || !in_.modes) {
      Find(Answer::kUnknown, "InstallMode",
           "Not all namespaces can be read, so that the install mode is not known");
      return Answer::kUnknown;
    }
    const absl::Status supported = CheckInstallModes(*in_.modes, *in_.targets);
    if (!supported.ok()) {
      Find(Answer::kNo, "InstallMode", std::string(supported.message()));
      return Answer::kNo;
    }
    Find(Answer::kYes, "InstallMode",
         StrCat(ToString(*ModeFor(*in_.targets)), " is supported by the operator"));
    return Answer::kYes;
  }

  Answer IsCopiedByOlm() {
    if (!IsUncopiable(csv_.phase, csv_.reason)) return Answer::kYes;
    Find(Answer::kNo, "Phase",
         csv_.phase.empty()
             ? "OLM has not looked at the ClusterServiceVersion yet: it has no phase"
             : StrCat("OLM has failed the ClusterServiceVersion for its OperatorGroup: ",
                      csv_.reason));
    return Answer::kNo;
  }

  // A namespace shows one of two operators with one name.
  Answer IsPreferred() {
    if (in_.rival == nullptr) return Answer::kYes;
    const std::string rival = StrCat(in_.rival->key.ns, "/", in_.rival->key.name);
    if (WinsIn(in_.ns, csv_, *in_.rival)) {
      Find(Answer::kYes, "SameName", StrCat("It is shown in place of ", rival));
      return Answer::kYes;
    }
    Find(Answer::kNo, "SameName",
         StrCat(rival, ", which ", in_.rival->key.ns == in_.ns ? "is installed here" : "is older",
                ", is shown in its place"));
    return Answer::kNo;
  }

  const PresenceInputs& in_;
  const Csv& csv_;
  Presence result_;
};

}  // namespace

Presence ExplainPresence(const PresenceInputs& inputs) { return Explanation(inputs).Explain(); }

std::vector<Presence> ExplainPresences(std::vector<PresenceInputs> of_one_name) {
  std::vector<const Csv*> reaching;
  for (const PresenceInputs& each : of_one_name) {
    if (ExplainPresence(each).shown == Answer::kYes) reaching.push_back(each.csv);
  }
  std::vector<Presence> all;
  for (PresenceInputs& each : of_one_name) {
    const bool reaches = std::find(reaching.begin(), reaching.end(), each.csv) != reaching.end();
    for (const Csv* other : reaching) {
      if (!reaches || other == each.csv) continue;
      if (each.rival == nullptr || WinsIn(each.ns, *other, *each.rival)) each.rival = other;
    }
    all.push_back(ExplainPresence(each));
  }
  return all;
}

}  // namespace steward::olm
