#include "storage/world/world_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "base/async/run.h"
#include "storage/operators/testing/operator_writer.h"

namespace steward::storage {
namespace {

namespace asio = boost::asio;

TEST(WorldStoreTest, StartsWithAWorldThatIsNotSynced) {
  WorldStore store{kOperatorSources};
  EXPECT_FALSE(store.Current()->synced());
}

TEST(WorldStoreTest, WaitEndsAtTheTimeOut) {
  asio::io_context io;
  WorldStore store{kOperatorSources};
  const WorldPtr world =
      RunOn(io, store.WaitUntil([](const World& w) { return w.synced(); }, absl::ZeroDuration()));
  EXPECT_FALSE(world->synced());
}

// On each of several threads, readers see revisions that only grow, and all see the last one.
TEST(WorldStoreTest, ReadersFollowTheWriter) {
  constexpr uint64_t kLast = 500;
  WorldStore store{kOperatorSources};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&store] {
      asio::io_context io;
      uint64_t reached = 0;
      while (reached < kLast) {
        const WorldPtr world = RunOn(io, store.WaitUntil(
                                             [reached](const World& w) {
                                               return w.source(kNamespaceSource).seen() > reached;
                                             },
                                             absl::Minutes(1)));
        const uint64_t seen = world->source(kNamespaceSource).seen();
        ASSERT_GT(seen, reached);
        reached = seen;
      }
    });
  }
  OperatorWriter writer;
  for (uint64_t revision = 1; revision <= kLast; ++revision) {
    writer.Progress(kNamespaceSource, revision);
    store.Publish(writer.Snapshot());
  }
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace steward::storage
