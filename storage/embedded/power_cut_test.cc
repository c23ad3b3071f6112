// A process is killed while it writes: every write that it acknowledged must be there.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/seeds/seeds.h"
#include "base/status/matchers.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr int kNames = 20;
constexpr int kWriters = 4;

// An acknowledged write: map `name` then held `value` (-1 = it was deleted) at `revision`.
struct Ack {
  int32_t name;
  int32_t value;
  int64_t revision;
};

// The record that the writer sends before it opens the store.
constexpr Ack kOpening{-1, 0, 0};

VoidTask WriteForEver(EmbeddedClient& client, Store& store, int first, int fd) {
  std::mt19937 random(static_cast<unsigned>(getpid() * 31 + first));
  while (true) {
    // Each writer has its own names, and makes one write at a time.
    const int32_t name = static_cast<int32_t>(random() % (kNames / kWriters)) * kWriters + first;
    const int32_t value = static_cast<int32_t>(random() & 0x7fffffff);
    Ack ack{name, value, 0};
    absl::StatusOr<json::value> done = absl::UnknownError("");
    const kube::NamespacedName key{"ns", "m" + std::to_string(name)};
    if (random() % 5 == 0) {
      const kube::DeleteOptions options;
      done = co_await client.Delete(kube::kConfigMaps, key, options);
      ack.value = -1;
    } else {
      const json::value object =
          json::object{{"metadata", json::object{{"name", key.name}, {"namespace", "ns"}}},
                       {"data", json::object{{"value", std::to_string(value)},
                                             {"fill", std::string(random() % 3000, 'x')}}}};
      const kube::WriteOptions options;
      done = co_await client.Update(kube::kConfigMaps, object, options);
      if (!done.ok()) done = co_await client.Create(kube::kConfigMaps, "ns", object, options);
    }
    if (!done.ok()) continue;
    ack.revision = store.revision();
    if (write(fd, &ack, sizeof ack) != sizeof ack) _exit(3);
  }
}

// Never returns.
[[noreturn]] void WriteUntilKilled(const std::string& directory, int fd) {
  if (write(fd, &kOpening, sizeof kOpening) != sizeof kOpening) _exit(3);
  const std::unique_ptr<Store> store = OpenTestStore(directory);
  EmbeddedClient client(*store, Clock::Real(), Random::Real());
  asio::io_context io(1);
  TaskGroup tasks(io.get_executor());
  for (int i = 0; i < kWriters; ++i) tasks.Spawn("write", WriteForEver(client, *store, i, fd));
  io.run();
  _exit(2);
}

// Starts a writer, kills it after `wanted` acknowledgements (0 = while it opens the store) and
// `yields` more turns of the scheduler, and returns the acknowledged writes.
std::vector<Ack> OneLife(const std::string& directory, size_t wanted, int yields) {
  int ends[2];
  if (pipe(ends) != 0) {
    ADD_FAILURE() << "no pipe";
    return {};
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    WriteUntilKilled(directory, ends[1]);
  }
  close(ends[1]);
  std::vector<Ack> acks;
  Ack ack;
  EXPECT_EQ(read(ends[0], &ack, sizeof ack), ssize_t{sizeof ack});
  const auto take_one = [&] {
    if (read(ends[0], &ack, sizeof ack) != ssize_t{sizeof ack}) return false;
    acks.push_back(ack);
    return true;
  };
  while (acks.size() < wanted && take_one()) continue;
  for (int i = 0; i < yields; ++i) sched_yield();
  kill(child, SIGKILL);
  while (take_one()) continue;
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
  return acks;
}

class PowerCutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::unique_ptr<Store> store = OpenTestStore(directory_.path());
    EmbeddedClient client(*store, Clock::Real(), Random::Real());
    asio::io_context io(1);
    const kube::WriteOptions options;
    const json::value ns = json::parse(R"({"metadata":{"name":"ns"}})");
    ASSERT_OK(RunOn(io, client.Create(kube::kNamespaces, "", ns, options)));
  }

  // Checks that each name is in its last acknowledged state, except for the one write that each
  // writer may have had under way.
  void Check(const std::vector<Ack>& acks) {
    const std::unique_ptr<Store> store = OpenTestStore(directory_.path());
    EmbeddedClient client(*store, Clock::Real(), Random::Real());
    asio::io_context io(1);
    int64_t newest = 0;
    for (const Ack& ack : acks) {
      values_[ack.name] = ack.value;
      newest = std::max(newest, ack.revision);
    }
    EXPECT_GE(store->revision(), newest);
    int unexpected[kWriters] = {};
    for (int32_t name = 0; name < kNames; ++name) {
      const int32_t value = ValueOf(io, client, name);
      const auto last = values_.find(name);
      if (value != (last == values_.end() ? -1 : last->second)) ++unexpected[name % kWriters];
      values_[name] = value;
    }
    for (const int count : unexpected) EXPECT_LE(count, 1);
  }
  static int32_t ValueOf(asio::io_context& io, EmbeddedClient& client, int32_t name) {
    const kube::NamespacedName key{"ns", "m" + std::to_string(name)};
    const absl::StatusOr<kube::RawObject> found = RunOn(io, client.Get(kube::kConfigMaps, key));
    if (!found.ok()) {
      EXPECT_EQ(kube::FromStatus(found.status()).code, 404) << found.status();
      return -1;
    }
    const json::value object =
        json::parse(json::string_view(found->json.data(), found->json.size()));
    return std::stoi(std::string(object.at("data").at("value").as_string()));
  }

  // A watch from an acknowledged revision shows every later change, or says that it cannot.
  void CheckWatch(int64_t from) {
    const std::unique_ptr<Store> store = OpenTestStore(directory_.path());
    EmbeddedClient client(*store, Clock::Real(), Random::Real());
    asio::io_context io(1);
    kube::WatchOptions options;
    options.resource_version = std::to_string(from);
    options.timeout = absl::ZeroDuration();
    auto watch = RunOn(io, client.StartWatch(kube::kConfigMaps, options));
    if (!watch.ok()) {
      EXPECT_EQ(kube::FromStatus(watch.status()).reason, "Expired");
      return;
    }
    int64_t seen = from;
    while (true) {
      const auto event = RunOn(io, (*watch)->Next());
      ASSERT_OK(event);
      if (!event->has_value()) break;
      // Each change is of one map, and each revision is one change.
      EXPECT_EQ(std::stoll((*event)->resource_version), seen + 1);
      seen = std::stoll((*event)->resource_version);
    }
    EXPECT_EQ(seen, store->revision());
  }

  TestDirectory directory_;
  std::map<int32_t, int32_t> values_;  // -1 = not there
};

TEST_F(PowerCutTest, EveryAcknowledgedWriteIsThere) {
  const int lives = static_cast<int>(ShareOf(200));
  std::mt19937 random(11);
  size_t total = 0;
  for (int life = 0; life < lives && !HasFailure(); ++life) {
    const size_t wanted = life % 4 == 0 ? 0 : 1 + random() % 40;
    const int yields = static_cast<int>(random() % 500);
    const std::vector<Ack> acks = OneLife(directory_.path(), wanted, yields);
    EXPECT_GE(acks.size(), wanted);
    total += acks.size();
    Check(acks);
    if (!acks.empty()) CheckWatch(acks[random() % acks.size()].revision);
  }
  RecordProperty("acknowledged_writes", static_cast<int>(total));
}

}  // namespace
}  // namespace steward::storage
