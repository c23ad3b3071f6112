#include "storage/embedded/caught_up.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "storage/embedded/builtin_types.h"
#include "storage/embedded/version_table.h"
#include "storage/world/world.h"

namespace steward::storage {
namespace {

struct Feed {
  Source source;
  std::string_view resource;
};
constexpr Feed kFeeds[] = {
    {Source::kCsv, "clusterserviceversions.operators.coreos.com"},
    {Source::kOperatorGroup, "operatorgroups.operators.coreos.com"},
    {Source::kNamespace, kNamespaces},
};

// Waiting ends now and then, to no effect.
constexpr absl::Duration kPatience = absl::Minutes(1);

// As many changes as are read in one go.
constexpr int64_t kBatch = 1000;
constexpr size_t kBatchBytes = 16 << 20;

// Copies are not among what a World asks for: nothing tells it of them.
bool IsCopy(const Change& change) {
  return change.body.has_value() && change.body->find("\"olm.copiedFrom\":") != std::string::npos;
}

// Whether all changes of `resource` behind `seen` are of copies.
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

// A World knows the revision of the last event of a source, which other resources' revisions
// follow: whether there is an event that it has not seen, only the store can say.
Task<bool> Shows(Store& store, WorldPtr world, int64_t revision) {
  std::function<absl::StatusOr<bool>(VersionTable&)> read =
      [world, revision](VersionTable& table) -> absl::StatusOr<bool> {
    for (const Feed& feed : kFeeds) {
      const auto seen = static_cast<int64_t>(world->source(feed.source).seen());
      ASSIGN_OR_RETURN(const bool only_copies, OnlyCopies(table, feed.resource, seen, revision));
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
