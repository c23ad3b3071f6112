// Runs the random schedules of virtual_resource/ over InstalledOperators.
#include "apiserver/views/virtual_resource/testing/model.h"

#include <gtest/gtest.h>

#include "apiserver/views/installed_operator/installed_operator.h"
#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/installed_operator/selection.h"
#include "apiserver/views/testing/operator_writes.h"
#include "apiserver/views/virtual_resource/testing/stream_simulation.h"
#include "apiserver/views/virtual_resource/testing/watch_simulation.h"

namespace steward::views {
namespace {

View ViewOf(const storage::WorldPtr& world, const rest::Selection& selection) {
  const auto& operators = storage::OperatorWorld::Of(*world);
  View view;
  for (auto it = operators.namespaces().begin(); !it.done(); it.Next()) {
    for (const Appearance& seen : AppearancesIn(operators, it.key())) {
      if (!Selects(selection, seen)) continue;
      view[{it.key(), seen.csv->key.name}] = SeenOf(InstalledOperatorObject(seen));
    }
  }
  return view;
}

const Subject& TheSubject() {
  static const Subject& subject = *new Subject{MakeInstalledOperatorProjection(), &ViewOf,
                                               [] { return std::make_unique<OperatorWrites>(); }};
  return subject;
}

TEST(WatchModelTest, ClientsEndWithTheTruth) {
  watch_simulation::ClientsEndWithTheTruth(TheSubject());
}
TEST(WatchModelTest, RestoredEtcd) { watch_simulation::RestoredEtcd(TheSubject()); }
TEST(WatchModelTest, LongHistories) { watch_simulation::LongHistories(TheSubject()); }
TEST(StreamModelTest, PagesAndStreamsAreWhole) {
  stream_simulation::PagesAndStreamsAreWhole(TheSubject());
}

}  // namespace
}  // namespace steward::views
