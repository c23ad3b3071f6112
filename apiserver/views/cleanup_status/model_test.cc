// Runs the random schedules of virtual_resource/ over CleanupStatuses.
#include "apiserver/views/virtual_resource/testing/model.h"

#include <gtest/gtest.h>

#include "apiserver/views/cleanup_status/object.h"
#include "apiserver/views/cleanup_status/projection.h"
#include "apiserver/views/testing/operator_writes.h"
#include "apiserver/views/virtual_resource/testing/stream_simulation.h"
#include "apiserver/views/virtual_resource/testing/watch_simulation.h"
#include "base/clock/fake_clock.h"
#include "storage/cleanup/outlooks.h"

namespace steward::views {
namespace {

const Clock& TheClock() {
  static const Clock& clock = *new FakeClock;
  return clock;
}

// Computes the view afresh.
View ViewOf(const storage::WorldPtr& world, const rest::Selection& selection) {
  storage::CleanupOutlooks outlooks;
  View view;
  for (const auto& [key, outlook] : *outlooks.Of(world)) {
    if (!selection.ns.empty() && selection.ns != key.ns) continue;
    if (!selection.labels.Matches(outlook->labels)) continue;
    if (!selection.fields.Matches([key = key](std::string_view path) -> std::string_view {
          return path == "metadata.name" ? key.name : key.ns;
        })) {
      continue;
    }
    view[key] = SeenOf(CleanupStatusObject(outlook, TheClock()));
  }
  return view;
}

// All replicas share one memory of outlooks, so equal Worlds must give equal outlooks.
const Subject& TheSubject() {
  static auto& outlooks = *new storage::CleanupOutlooks;
  static const Subject& subject =
      *new Subject{std::make_shared<const CleanupStatusProjection>(outlooks, TheClock()), &ViewOf,
                   [] { return std::make_unique<OperatorWrites>(); }};
  return subject;
}

TEST(CleanupStatusWatchModelTest, ClientsEndWithTheTruth) {
  watch_simulation::ClientsEndWithTheTruth(TheSubject());
}
TEST(CleanupStatusWatchModelTest, RestoredEtcd) { watch_simulation::RestoredEtcd(TheSubject()); }
TEST(CleanupStatusWatchModelTest, LongHistories) { watch_simulation::LongHistories(TheSubject()); }
TEST(CleanupStatusStreamModelTest, PagesAndStreamsAreWhole) {
  stream_simulation::PagesAndStreamsAreWhole(TheSubject());
}

}  // namespace
}  // namespace steward::views
