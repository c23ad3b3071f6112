#include "apiserver/views/virtual_resource/snapshot_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/status.h"
#include "storage/world/history.h"

namespace steward::views {

using storage::World;
using storage::WorldPtr;

rest::Reading Snapshot::Reading() const {
  rest::Reading reading;
  reading.resource_version = number.ToString();
  if (!world->connected()) {
    reading.warning =
        "the stream of changes from the kube-apiserver is interrupted: this answer may be out of "
        "date";
  }
  return reading;
}

namespace {

// The digits of etcd's largest revision, 2^63 - 1.
constexpr size_t kRevisionDigits = 19;

// The cluster is asked again after this time, because a question may have found no room in CatchUp,
// or its list may have failed.
constexpr absl::Duration kAskAgain = absl::Seconds(1);

absl::Status TooOldForList() {
  return kube::ToStatus(kube::Expired("The resourceVersion for the provided list is too old."));
}

}  // namespace

absl::StatusOr<Snapshot> SnapshotReader::ReadForeign(Snapshot newest,
                                                     const rest::ReadOptions& options) {
  const std::string& asked = options.resource_version;
  if (asked.size() > kRevisionDigits) return TooOldForList();
  const std::string revision = StrCat(newest.number.clock / storage::kTicks);
  if (kube::CompareResourceVersions(asked, revision) > 0) {
    return kube::ToStatus(kube::TooLargeResourceVersion(asked, revision));
  }
  if (options.resource_version_match == "Exact") return TooOldForList();
  return newest;
}

Task<Snapshot> SnapshotReader::ReadNewest() {
  if (on_newest_read_) on_newest_read_();
  WorldPtr world = worlds_.Current();
  if (!world->synced()) {
    world = co_await worlds_.WaitUntil([](const World& w) { return w.synced(); }, times_.sync_wait);
    if (!world->synced()) {
      co_return kube::ToStatus(
          kube::ServiceUnavailable("this cluster is still being read; try again shortly", 1));
    }
  }
  storage::WorldSnapshot moment = worlds_.Lifted();
  const storage::Number number = moment.number();
  Snapshot snapshot{std::move(moment.world), number};
  co_return snapshot;
}

StatusTask SnapshotReader::WaitFor(storage::Number number, std::string asker) {
  const auto reached = [vector = number.vector](const World& world) {
    return world.HasReached(vector);
  };
  const absl::Duration patience = std::min(kPatience, times_.version_wait);
  WorldPtr world = co_await worlds_.WaitUntil(reached, patience);
  if (!reached(*world)) {
    // A state above every revision that the cluster has had cannot arrive.
    const uint64_t highest = *std::max_element(number.vector.begin(), number.vector.end());
    if (on_awaited_ && highest <= worlds_.newest_revision()) on_awaited_(number.vector, asker);
    world = co_await worlds_.WaitUntil(reached, times_.version_wait - patience);
  }
  if (reached(*world)) co_return absl::OkStatus();
  co_return kube::ToStatus(
      kube::TooLargeResourceVersion(number.ToString(), worlds_.Now().number().ToString()));
}

Task<WorldPtr> SnapshotReader::Recall(storage::Number number, std::string asker) {
  const auto decided = [vector = number.vector](const World& world) {
    return world.Knows(vector) == storage::Knowledge::kKnown || world.IsGone(vector);
  };
  WorldPtr world = worlds_.Current();
  // A number above the cluster's newest revision is of another etcd. The cluster was asked for that
  // revision when the read began. Clocks can be one above it (WorldStore::Lifted).
  const auto ahead = [this, revision = number.clock / storage::kTicks] {
    return revision > worlds_.newest_revision() + 1;
  };
  if (!decided(*world) && ahead()) {
    world = co_await worlds_.WaitUntil(decided, kAskAgain);
    if (ahead()) co_return TooOldForList();
  }
  for (absl::Duration waited; on_awaited_ && !decided(*world) && waited < kRecallPatience;
       waited += kAskAgain) {
    on_awaited_(number.vector, asker);
    world = co_await worlds_.WaitUntil(decided, kAskAgain);
  }
  if (world->Knows(number.vector) != storage::Knowledge::kKnown) co_return TooOldForList();
  co_return world;
}

Task<Snapshot> SnapshotReader::Read(rest::ReadOptions options) {
  CO_ASSIGN_OR_RETURN(Snapshot newest, co_await ReadNewest());
  if (options.resource_version.empty() || options.resource_version == "0") co_return newest;

  const absl::StatusOr<storage::Number> parsed = storage::Number::Parse(options.resource_version);
  if (!parsed.ok()) co_return ReadForeign(std::move(newest), options);
  storage::Number asked = *parsed;
  if (asked.mark == storage::Number::kOwn) asked.vector = asked.AtClock();
  CO_RETURN_IF_ERROR(co_await WaitFor(asked, options.asker));
  storage::WorldSnapshot moment = worlds_.Now();
  if (options.resource_version_match != "Exact") {
    // The answer is not older than the state of `asked`, so it must not carry a smaller number.
    storage::Number number = moment.number();
    number.clock = std::max(number.clock, asked.clock);
    for (size_t i = 0; i < moment.world->sources().size(); ++i) {
      const storage::History& history = moment.world->sources()[i].history;
      if (asked.vector[i] > number.vector[i] &&
          history.Knows(asked.vector[i]) == storage::Knowledge::kKnown) {
        number.vector[i] = asked.vector[i];  // both revisions name the same state
      }
    }
    Snapshot snapshot{std::move(moment.world), number};
    co_return snapshot;
  }
  if (asked.mark != storage::Number::kComplete) co_return TooOldForList();
  CO_ASSIGN_OR_RETURN(WorldPtr world, co_await Recall(asked, std::move(options.asker)));
  WorldPtr past = co_await past_.At(std::move(world), asked.vector);
  Snapshot snapshot{std::move(past), asked};
  co_return snapshot;
}

}  // namespace steward::views
