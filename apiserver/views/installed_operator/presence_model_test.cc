// The answers of `kubectl steward why` (olm::ExplainPresence) beside what the view shows, and
// beside an oracle that reads the rules of OLM anew, on random worlds.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/testing/test_world.h"
#include "base/seeds/seeds.h"
#include "kube/meta/selector.h"
#include "olm/objects.h"
#include "olm/presence.h"
#include "olm/targets.h"
#include "storage/operators/operator_world.h"

namespace steward::views {
namespace {

using olm::Answer;

const std::vector<std::string>& Namespaces() {
  static const auto& names = *new std::vector<std::string>{"a", "b", "c", "d"};
  return names;
}

// A World, and the objects from which it was made.
class Scene {
 public:
  explicit Scene(unsigned seed) : random_(seed) {
    for (const std::string& ns : Namespaces()) {
      const std::string team = Pick<std::string>({"red", "blue", ""});
      labels_[ns] = team.empty() ? kube::LabelMap() : kube::LabelMap{{"team", team}};
      world_.Namespace(ns, labels_[ns]);
    }
    for (const std::string& ns : Namespaces()) MakeGroups(ns);
    for (const std::string& ns : Namespaces()) {
      for (const char* name : {"x.v1", "y.v1"}) {
        if (Pick<int>({0, 1}) == 0) continue;
        world_.Csv(ns, name,
                   {.phase = Pick<const char*>({"Succeeded", "Succeeded", "Failed", ""}),
                    .reason = Pick<const char*>({"InstallSucceeded", "UnsupportedOperatorGroup"}),
                    .copied = Pick<int>({0, 0, 0, 1}) == 1,
                    .day = Pick<int>({1, 2, 3})});
      }
    }
    for (const olm::InstallMode mode :
         {olm::InstallMode::kOwnNamespace, olm::InstallMode::kSingleNamespace,
          olm::InstallMode::kMultiNamespace, olm::InstallMode::kAllNamespaces}) {
      modes_.push_back({mode, Pick<int>({0, 1, 1}) == 1});
    }
  }

  // Compares each original in each namespace.
  void Compare() {
    const storage::OperatorWorldPtr world = world_.Snapshot();
    for (const std::string& ns : Namespaces()) {
      for (const char* name : {"x.v1", "y.v1"}) CompareIn(*world, ns, name);
    }
  }

 private:
  template <typename T>
  T Pick(std::vector<T> of) {
    return of[random_() % of.size()];
  }

  void MakeGroups(const std::string& ns) {
    const int count = Pick<int>({0, 1, 1, 1, 1, 2});
    for (int i = 0; i < count; ++i) {
      const std::string name = "g" + std::to_string(i);
      switch (Pick<int>({0, 1, 2})) {
        case 0:
          world_.Group(ns, name, {});
          break;
        case 1:
          world_.Group(ns, name,
                       Pick<std::vector<std::string>>({{"a"}, {"b", "unborn"}, {"a", "b", "c"}}));
          break;
        default:
          world_.Group(ns, name, {}, Pick<const char*>({"team=red", "team", "!team"}));
      }
    }
  }

  void CompareIn(const storage::OperatorWorld& world, const std::string& ns, const char* name) {
    std::vector<olm::PresenceInputs> inputs;
    for (const std::string& home : Namespaces()) {
      const olm::CsvPtr* csv = world.csvs().Find({home, name});
      if (csv == nullptr || (*csv)->copied) continue;
      inputs.push_back({.csv = csv->get(),
                        .ns = ns,
                        .labels = labels_[ns],
                        .groups = GroupsIn(world, home),
                        .modes = modes_});
      const storage::EffectiveGroup* group = world.GroupIn(home);
      if (group != nullptr) inputs.back().targets = group->targets;
    }
    const auto seen = FindAppearance(world, ns, name);
    const std::vector<olm::Presence> presences = olm::ExplainPresences(inputs);
    ASSERT_EQ(presences.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      SCOPED_TRACE(inputs[i].csv->key.ns + "/" + name + " in " + ns);
      const bool shown = seen && seen->csv == inputs[i].csv;
      EXPECT_EQ(presences[i].shown, shown ? Answer::kYes : Answer::kNo);
      EXPECT_EQ(presences[i].watches, Watches(inputs[i]) ? Answer::kYes : Answer::kNo);
    }
  }

  static std::vector<olm::OperatorGroupPtr> GroupsIn(const storage::OperatorWorld& world,
                                                     const std::string& ns) {
    std::vector<olm::OperatorGroupPtr> groups;
    for (auto it = world.operator_groups().begin(); !it.done(); it.Next()) {
      if (it.key().ns == ns) groups.push_back(it.value());
    }
    return groups;
  }

  // The namespaces that a group targets, each checked on its own; nullopt = all.
  std::optional<std::set<std::string>> Reach(const olm::OperatorGroup& group) {
    if (!group.target_namespaces.empty()) {
      return std::set<std::string>(group.target_namespaces.begin(), group.target_namespaces.end());
    }
    if (!group.selector) return std::nullopt;
    std::set<std::string> reach;
    const std::string text = group.selector->ToString();
    for (const std::string& ns : Namespaces()) {
      const auto team = labels_[ns].find("team");
      const bool has = team != labels_[ns].end();
      if (text == "team=red" ? has && team->second == "red" : text == "team" ? has : !has) {
        reach.insert(ns);
      }
    }
    return reach;
  }

  // True if OLM would have the operator watch the namespace.
  bool Watches(const olm::PresenceInputs& in) {
    if (in.groups->size() != 1) return false;
    const std::string& phase = in.csv->phase;
    if (phase.empty() || in.csv->reason == "UnsupportedOperatorGroup") {
      return false;
    }
    const auto supports = [&](size_t mode) { return modes_[mode].supported; };
    const auto reach = Reach(*in.groups->front());
    if (!reach) return supports(3);
    const bool own = reach->count(in.csv->key.ns) > 0;
    const bool fits = reach->size() == 1 ? (own ? supports(0) : supports(1))
                                         : supports(2) && (!own || supports(0));
    return fits && reach->count(in.ns) > 0;
  }

  std::minstd_rand random_;
  TestWorld world_;
  std::map<std::string, kube::LabelMap> labels_;
  std::vector<olm::InstallModeSupport> modes_;
};

TEST(PresenceModelTest, SaysWhatTheViewShows) {
  const Seeds seeds = SeedsOr({1, ShareOf(1000)});
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    SCOPED_TRACE(seed);
    Scene(seed).Compare();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace steward::views
