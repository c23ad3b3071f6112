#include "storage/embedded/store/caught_up.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "storage/embedded/table/version_table.h"
#include "storage/embedded/types/builtin_types.h"
#include "storage/operators/operator_world.h"
#include "storage/plans/plan_world.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {
namespace {

// The resources of the sources, in the order of their set.
constexpr std::string_view kOperatorFeeds[] = {
    "clusterserviceversions.operators.coreos.com",
    "operatorgroups.operators.coreos.com",
    kNamespaces,
};
constexpr std::string_view kPlanFeeds[] = {
    "installplans.operators.coreos.com",
    kCustomResourceDefinitions,
    "operatorgroups.operators.coreos.com",
};
std::span<const std::string_view> FeedsOf(const SourceSet& sources) {
  if (&sources == &kPlanSources) return kPlanFeeds;
  assert(&sources == &kOperatorSources);
  return kOperatorFeeds;
}

// Each wait ends after this time, and then starts over.
constexpr absl::Duration kPatience = absl::Minutes(1);

// The number of changes that are read at once.
constexpr int64_t kBatch = 1000;
constexpr size_t kBatchBytes = 16 << 20;

// Worlds don't follow copies, so no World ever shows a change of one.
bool IsCopy(const Change& change) {
  return change.body.has_value() && change.body->find("\"olm.copiedFrom\":") != std::string::npos;
}

// True if all changes of `resource` after `seen` are of copies.
absl::StatusOr<bool> OnlyCopies(VersionTable& table, std::string_view resource, int64_t seen,
                                int64_t revision) {
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<Change> unseen,
                     table.Changes(resource, seen, revision, kBatch, kBatchBytes));
    if (unseen.empty()) return true;
    if (!std::all_of(unseen.begin(), unseen.end(), IsCopy)) return false;
    seen = unseen.back().revision;
  }
}

// A World knows, for each source, the revision of its last event; changes of other resources have
// later revisions. Only the store can tell whether there is an event that the World has not seen.
Task<bool> Shows(Store& store, WorldPtr world, int64_t revision) {
  std::function<absl::StatusOr<bool>(VersionTable&)> read =
      [world, revision](VersionTable& table) -> absl::StatusOr<bool> {
    const std::span<const std::string_view> feeds = FeedsOf(world->set());
    for (size_t i = 0; i < feeds.size(); ++i) {
      const auto seen = static_cast<int64_t>(world->sources()[i].seen());
      ASSIGN_OR_RETURN(const bool only_copies, OnlyCopies(table, feeds[i], seen, revision));
      if (!only_copies) return false;
    }
    return true;
  };
  co_return co_await store.Read(std::move(read));
}

}  // namespace

StatusTask WaitUntilCaughtUp(Store& store, WorldStore& worlds) {
  const int64_t revision = store.revision();
  WorldPtr last;
  while (true) {
    const World* before = last.get();
    last = co_await worlds.WaitUntil(
        [before](const World& world) { return &world != before && world.synced(); }, kPatience);
    if (!last->synced()) continue;
    CO_ASSIGN_OR_RETURN(const bool shows, co_await Shows(store, last, revision));
    if (shows) co_return absl::OkStatus();
  }
}

}  // namespace steward::storage
