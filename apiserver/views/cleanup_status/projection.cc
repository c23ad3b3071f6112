#include "apiserver/views/cleanup_status/projection.h"

#include <algorithm>

#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/versions.h"
#include "base/async/turn.h"
#include "base/async/yield.h"
#include "olm/objects.h"

namespace steward::views {

// A change may affect any CleanupStatus, so all keys of the window are suspects. They are few.
boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>>
CleanupStatusProjection::Suspects(Window window, const rest::Selection& selection) const {
  std::set<kube::NamespacedName> suspects;
  Turn turn;
  const auto same = [](const kube::NamespacedName& key) { return key; };
  const auto versions = co_await VersionsOf<kube::NamespacedName, olm::CsvPtr>(
      window, storage::kCsvSource, storage::OperatorWorld::Of(*window.then).csvs(), same, turn);
  for (const auto& [key, forms] : versions.all) {
    const bool shown = std::any_of(forms.begin(), forms.end(), [](const olm::CsvPtr& csv) {
      return !csv->copied && csv->cleanup != nullptr;
    });
    if (shown && KeySelected(selection, key)) suspects.insert(key);
    if (turn.Over(forms.size())) co_await Yield();
  }
  co_return suspects;
}

}  // namespace steward::views
