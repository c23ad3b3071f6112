#include "olm/payload/contradictions.h"

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

std::string Doing(bool deletes) { return deletes ? "deleted" : "applied"; }

// Two manifests that contradict each other; sorted by the second one.
struct Pair {
  size_t second = 0;
  size_t first = 0;
  auto operator<=>(const Pair&) const = default;
};

// Finds for each manifest the earlier ones that name the same object, and for each that applies,
// those that delete its namespace.
class Rivals {
 public:
  explicit Rivals(const std::vector<PayloadManifest>& manifests) : manifests_(manifests) {
    for (size_t i = 0; i < manifests.size(); ++i) {
      by_identity_[manifests[i].identity].push_back(i);
      if (manifests[i].deletes && manifests[i].identity.IsNamespace()) {
        deleted_[manifests[i].identity.name].push_back(i);
      }
    }
  }

  // Adds the contradicting pairs for which `meet` is true (a cluster takes both). For each
  // manifest, only the first pair of each kind of contradiction.
  void Collect(const std::function<bool(size_t, size_t)>& meet, std::set<Pair>& pairs) const {
    for (size_t i = 0; i < manifests_.size(); ++i) {
      const size_t same =
          FirstOf(by_identity_.at(manifests_[i].identity), i, meet, /*before=*/true);
      if (same != kNone) pairs.insert({i, same});
      const auto found = deleted_.find(manifests_[i].identity.ns);
      if (manifests_[i].deletes || found == deleted_.end()) continue;
      const size_t around = FirstOf(found->second, i, meet, /*before=*/false);
      if (around != kNone) pairs.insert({i, around});
    }
  }

  PayloadFault FaultOf(const Pair& pair) const {
    const PayloadManifest& first = manifests_[pair.first];
    const PayloadManifest& second = manifests_[pair.second];
    const std::string what = second.identity.ToString();
    if (first.identity == second.identity) {
      return {second.where, StrCat(what, " is ", Doing(second.deletes), " here, and ",
                                   Doing(first.deletes), " by ", first.where)};
    }
    return {second.where,
            StrCat(what, " is applied in a namespace that ", first.where, " deletes")};
  }

 private:
  static size_t FirstOf(const std::vector<size_t>& candidates, size_t than,
                        const std::function<bool(size_t, size_t)>& meet, bool before) {
    for (const size_t each : candidates) {
      if (before && each >= than) break;
      if (meet(each, than)) return each;
    }
    return kNone;
  }

  const std::vector<PayloadManifest>& manifests_;
  std::map<PayloadIdentity, std::vector<size_t>> by_identity_;
  std::map<std::string, std::vector<size_t>> deleted_;  // namespaces
};

// Returns by group and kind whether the applied definitions are namespaced.
std::map<std::pair<std::string, std::string>, bool> ScopesOf(
    const std::vector<const PayloadManifest*>& taken) {
  std::map<std::pair<std::string, std::string>, bool> scopes;
  for (const PayloadManifest* each : taken) {
    const boost::json::object* spec = ObjectAt(each->object, "spec");
    if (each->deletes || each->identity.kind != "CustomResourceDefinition" || spec == nullptr) {
      continue;
    }
    const boost::json::object* names = ObjectAt(*spec, "names");
    if (names == nullptr) continue;
    scopes[{std::string(StringAt(*spec, "group")), std::string(StringAt(*names, "kind"))}] =
        StringAt(*spec, "scope") == "Namespaced";
  }
  return scopes;
}

// Adds the faults of manifests that lack a namespace which their kind needs, or name one that it
// cannot have.
void AddStrayNamespaces(const std::vector<const PayloadManifest*>& taken,
                        std::map<std::string, std::set<std::string>>& faults) {
  const auto scopes = ScopesOf(taken);
  for (const PayloadManifest* each : taken) {
    const PayloadIdentity& identity = each->identity;
    const auto brought = scopes.find({identity.group, identity.kind});
    const std::optional<bool> namespaced =
        brought == scopes.end() ? identity.IsNamespaced() : std::optional<bool>(brought->second);
    if (!namespaced || *namespaced != identity.ns.empty()) continue;
    faults[each->where].insert(StrCat(
        identity.ToString(), *namespaced
                                 ? ": objects of its kind lie in a namespace; it names none"
                                 : ": objects of its kind lie in no namespace; it names one"));
  }
}

// Appends the faults in the order of the manifests.
void Append(const std::vector<PayloadManifest>& manifests,
            const std::map<std::string, std::set<std::string>>& stray,
            std::vector<PayloadFault>& faults) {
  for (const PayloadManifest& each : manifests) {
    const auto found = stray.find(each.where);
    if (found == stray.end()) continue;
    for (const std::string& what : found->second) faults.push_back({each.where, what});
  }
}

std::string TextOf(const ClusterChoices& choices) {
  return StrCat(choices.profile.empty() ? "no profile" : StrCat("the profile ", choices.profile),
                " and the feature set ",
                choices.feature_set.empty() ? "Default" : choices.feature_set);
}

// True if a cluster takes both manifests once the feature gates that they need are on.
bool MeetByGates(const PayloadManifest& one, const PayloadManifest& other, ClusterChoices choices) {
  for (const PayloadManifest* each : {&one, &other}) {
    choices.gates.merge(GatesNeededBy(*each).on);
  }
  return !ReasonToLeaveOut(one, choices) && !ReasonToLeaveOut(other, choices);
}

}  // namespace

std::vector<PayloadFault> ContradictionsAmong(const std::vector<PayloadManifest>& taken) {
  const Rivals rivals(taken);
  std::set<Pair> pairs;
  rivals.Collect([](size_t, size_t) { return true; }, pairs);
  std::vector<PayloadFault> faults;
  for (const Pair& each : pairs) faults.push_back(rivals.FaultOf(each));
  std::vector<const PayloadManifest*> all;
  for (const PayloadManifest& each : taken) all.push_back(&each);
  std::map<std::string, std::set<std::string>> stray;
  AddStrayNamespaces(all, stray);
  Append(taken, stray, faults);
  return faults;
}

std::vector<ClusterChoices> ClustersToldApart(const std::vector<PayloadManifest>& manifests,
                                              const ClusterChoices& given) {
  NamedChoices named = ChoicesNamedBy(manifests);
  named.profiles.erase(given.profile);
  named.feature_sets.insert("Default");
  named.feature_sets.erase(given.feature_set.empty() ? "Default" : given.feature_set);
  std::vector<std::string> profiles = {given.profile};
  profiles.insert(profiles.end(), named.profiles.begin(), named.profiles.end());
  std::vector<std::string> sets = {given.feature_set};
  sets.insert(sets.end(), named.feature_sets.begin(), named.feature_sets.end());
  std::vector<ClusterChoices> clusters;
  for (const std::string& profile : profiles) {
    for (const std::string& set : sets) {
      ClusterChoices choices = given;
      choices.profile = profile;
      choices.exclude_id = profile;
      choices.feature_set = set;
      clusters.push_back(std::move(choices));
      if (clusters.size() > kMaxPayloadClusters) return clusters;
    }
  }
  return clusters;
}

std::vector<PayloadFault> ContradictionsAnywhere(const std::vector<PayloadManifest>& manifests,
                                                 const ClusterChoices& given) {
  std::vector<ClusterChoices> clusters = ClustersToldApart(manifests, given);
  if (!given.profile.empty() && ChoicesNamedBy(manifests).profiles.empty()) {
    ClusterChoices any = given;
    any.profile.clear();
    const std::vector<ClusterChoices> more = ClustersToldApart(manifests, any);
    clusters.insert(clusters.end(), more.begin(), more.end());
  }
  if (clusters.size() > kMaxPayloadClusters) {
    return {{"the payload", StrCat("it tells more than ", kMaxPayloadClusters,
                                   " clusters apart by profile and feature set")}};
  }
  const Rivals rivals(manifests);
  // Per pair: the indices of the clusters that take both.
  std::map<Pair, std::vector<size_t>> met;
  std::map<std::string, std::set<std::string>> stray;
  for (size_t i = 0; i < clusters.size(); ++i) {
    const ClusterChoices& choices = clusters[i];
    std::vector<bool> taken;
    std::vector<const PayloadManifest*> all;
    for (const PayloadManifest& each : manifests) {
      taken.push_back(MeetByGates(each, each, choices));
      if (taken.back()) all.push_back(&each);
    }
    AddStrayNamespaces(all, stray);
    std::set<Pair> pairs;
    const auto meet = [&](size_t one, size_t other) {
      return taken[one] && taken[other] && MeetByGates(manifests[one], manifests[other], choices);
    };
    rivals.Collect(meet, pairs);
    for (const Pair& each : pairs) met[each].push_back(i);
  }
  std::vector<PayloadFault> faults;
  for (const auto& [pair, where] : met) {
    PayloadFault fault = rivals.FaultOf(pair);
    if (where.size() < clusters.size()) {
      StrAppend(&fault.what, ", for ", TextOf(clusters[where.front()]));
      if (where.size() > 1) StrAppend(&fault.what, " and ", where.size() - 1, " more");
    }
    faults.push_back(std::move(fault));
  }
  Append(manifests, stray, faults);
  return faults;
}

}  // namespace steward::olm
