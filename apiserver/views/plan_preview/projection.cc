#include "apiserver/views/plan_preview/projection.h"

#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/versions.h"
#include "base/async/turn.h"
#include "base/async/yield.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"

namespace steward::views {

// A change of a plan affects its preview alone. A change of an OperatorGroup affects the plans of
// its namespace. A change of a definition may affect any plan.
boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>>
PlanPreviewProjection::Suspects(Window window, const rest::Selection& selection) const {
  const storage::PlanWorld& then = storage::PlanWorld::Of(*window.then);
  Turn turn;
  const auto same = [](const kube::NamespacedName& key) { return key; };
  const auto name = [](const kube::NamespacedName& key) { return key.name; };
  const auto plans = co_await VersionsOf<kube::NamespacedName, olm::PlanFactsPtr>(
      window, storage::kInstallPlanSource, then.plans(), same, turn);
  const auto definitions = co_await VersionsOf<std::string, olm::DefinitionFactsPtr>(
      window, storage::kDefinitionSource, then.definitions(), name, turn);
  const auto groups = co_await VersionsOf<kube::NamespacedName, olm::PlanGroupPtr>(
      window, storage::kPlanGroupSource, then.groups(), same, turn);
  std::set<std::string> grouped;  // namespaces
  for (const kube::NamespacedName& key : groups.touched) grouped.insert(key.ns);
  std::set<kube::NamespacedName> suspects;
  for (const auto& [key, forms] : plans.all) {
    const bool touched =
        !definitions.touched.empty() || grouped.contains(key.ns) || plans.touched.contains(key);
    if (touched && KeySelected(selection, key)) suspects.insert(key);
    if (turn.Over(forms.size())) co_await Yield();
  }
  co_return suspects;
}

}  // namespace steward::views
