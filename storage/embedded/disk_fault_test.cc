// The disk fails or loses power: every failure reaches the calls that it affects, and every
// acknowledged write stays.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "base/status/matchers.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "storage/embedded/table/sqlite.h"
#include "storage/embedded/testing/faulty_disk.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using Operation = FaultyDisk::Operation;

// The contents of the maps, by name.
using Values = std::map<std::string, int>;

// A write, after which the map holds the value, or is removed.
struct Step {
  const char* name;
  std::optional<int> value;
  // The log is copied into the database before the write, so that it starts over.
  bool checkpoint_before = false;
};

constexpr Step kSteps[] = {{"a", 1},       {"b", 2}, {"a", 3},           {"b", std::nullopt},
                           {"c", 4, true}, {"a", 5}, {"c", std::nullopt}};

void Apply(const Step& step, Values& values) {
  if (step.value.has_value()) {
    values[step.name] = *step.value;
  } else {
    values.erase(step.name);
  }
}

// One run of a process that has the store open.
class Life {
 public:
  static absl::StatusOr<std::unique_ptr<Life>> Begin(const std::string& directory) {
    StoreOptions options;
    options.directory = directory;
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(std::move(options), Clock::Real());
    if (!store.ok()) return store.status();
    return std::make_unique<Life>(directory, *std::move(store));
  }
  Life(std::string directory, std::unique_ptr<Store> store)
      : directory_(std::move(directory)),
        store_(std::move(store)),
        client_(*store_, Clock::Real(), Random::Real()) {}

  absl::Status Do(const Step& step) {
    if (step.checkpoint_before) Checkpoint();
    const kube::NamespacedName key{"ns", step.name};
    if (!step.value.has_value()) {
      const kube::DeleteOptions options;
      return RunOn(io_, client_.Delete(kube::kConfigMaps, key, options)).status();
    }
    const json::value object = json::object{
        {"metadata", json::object{{"name", step.name}, {"namespace", "ns"}}},
        {"data",
         json::object{{"value", std::to_string(*step.value)}, {"fill", std::string(500, 'x')}}}};
    const kube::WriteOptions options;
    const absl::Status updated =
        RunOn(io_, client_.Update(kube::kConfigMaps, object, options)).status();
    if (updated.ok() || kube::FromStatus(updated).code != 404) return updated;
    return RunOn(io_, client_.Create(kube::kConfigMaps, "ns", object, options)).status();
  }

  absl::Status MakeNamespace() {
    const kube::WriteOptions options;
    const json::value ns = json::parse(R"({"metadata":{"name":"ns"}})");
    return RunOn(io_, client_.Create(kube::kNamespaces, "", ns, options)).status();
  }

  // The contents of the maps as the store returns them.
  Values Read() {
    Values values;
    for (const char* name : {"a", "b", "c", "d"}) {
      const absl::StatusOr<kube::RawObject> found =
          RunOn(io_, client_.Get(kube::kConfigMaps, kube::NamespacedName{"ns", name}));
      if (!found.ok()) {
        EXPECT_EQ(kube::FromStatus(found.status()).code, 404) << found.status();
        continue;
      }
      const json::value object =
          json::parse(json::string_view(found->json.data(), found->json.size()));
      values[name] = std::stoi(std::string(object.at("data").at("value").as_string()));
    }
    return values;
  }

  int64_t revision() const { return store_->revision(); }

 private:
  // Ignores errors, because the log still contains everything.
  void Checkpoint() {
    const auto connection = Connection::Open(directory_ + "/steward.db");
    if (connection.ok()) (void)(*connection)->Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  const std::string directory_;
  asio::io_context io_{1};
  const std::unique_ptr<Store> store_;
  EmbeddedClient client_;
};

class DiskFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto life = Life::Begin(empty_.path());
    ASSERT_OK(life);
    ASSERT_OK((*life)->MakeNamespace());
  }

  // A directory in which only the namespace exists.
  std::unique_ptr<TestDirectory> Fresh() const {
    auto directory = std::make_unique<TestDirectory>();
    std::filesystem::copy_file(empty_.path() + "/steward.db", directory->path() + "/steward.db");
    return directory;
  }

  // The contents that a process finds when it opens the directory now; nullopt if it cannot.
  static std::optional<Values> Reopened(const std::string& directory) {
    auto life = Life::Begin(directory);
    EXPECT_OK(life);
    if (!life.ok()) return std::nullopt;
    return (*life)->Read();
  }

  FaultyDisk disk_;
  TestDirectory empty_;
};

struct Fault {
  std::string name;
  Operation operation;
  bool lasting;

  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};

class DiskFailsTest : public DiskFaultTest, public ::testing::WithParamInterface<Fault> {
 protected:
  // Makes all writes while the `nth` operation fails; returns false if there are fewer operations.
  bool FailAt(int nth) {
    const std::unique_ptr<TestDirectory> directory = Fresh();
    Values acknowledged;
    killed_.reset();
    disk_.Fail(GetParam().operation, nth, GetParam().lasting);
    auto life = Life::Begin(directory->path());
    if (!life.ok()) {
      EXPECT_GT(disk_.failures(), 0) << life.status();
    } else {
      DoSteps(**life, directory->path(), acknowledged);
      disk_.Mend();
      // No failed write is there, and the next one succeeds.
      EXPECT_EQ((*life)->Read(), acknowledged);
      const int64_t before = (*life)->revision();
      const Step last{"d", 7};
      EXPECT_OK((*life)->Do(last));
      EXPECT_EQ((*life)->revision(), before + 1);
      Apply(last, acknowledged);
      EXPECT_EQ((*life)->Read(), acknowledged);
      life->reset();
    }
    const bool failed = disk_.failures() > 0;
    disk_.Mend();
    EXPECT_EQ(Reopened(directory->path()), acknowledged);
    if (killed_.has_value()) {
      const std::optional<Values> found = Reopened(killed_->copy->path());
      EXPECT_TRUE(found == killed_->without_failed || found == killed_->with_failed);
    }
    return failed;
  }

 private:
  // The files of a process that is killed right after a failure. The failed write may or may not be
  // in them.
  struct Killed {
    std::unique_ptr<TestDirectory> copy;
    Values without_failed, with_failed;
  };

  void DoSteps(Life& life, const std::string& directory, Values& acknowledged) {
    for (const Step& step : kSteps) {
      // The map was never created, since that write failed.
      if (!step.value.has_value() && acknowledged.count(step.name) == 0) continue;
      const int64_t before = life.revision();
      const absl::Status done = life.Do(step);
      if (done.ok()) {
        EXPECT_EQ(life.revision(), before + 1);
        Apply(step, acknowledged);
        continue;
      }
      EXPECT_EQ(kube::FromStatus(done).code, 500) << done;
      EXPECT_GT(disk_.failures(), 0) << done;
      EXPECT_EQ(life.revision(), before);
      if (killed_.has_value()) continue;
      killed_.emplace(Killed{std::make_unique<TestDirectory>(), acknowledged, acknowledged});
      disk_.CopyAfterPowerCut(directory, killed_->copy->path(), false, false);
      Apply(step, killed_->with_failed);
    }
  }

  std::optional<Killed> killed_;
};

TEST_P(DiskFailsTest, EveryFailureIsTold) {
  int nth = 1;
  while (FailAt(nth) && !HasFailure()) ++nth;
  EXPECT_FALSE(HasFailure()) << "at operation " << nth;
  // The writes contain enough operations to fail.
  EXPECT_GT(nth, 5);
}

INSTANTIATE_TEST_SUITE_P(All, DiskFailsTest,
                         ::testing::Values(Fault{"Read", Operation::kRead, false},
                                           Fault{"Reads", Operation::kRead, true},
                                           Fault{"Write", Operation::kWrite, false},
                                           Fault{"Writes", Operation::kWrite, true},
                                           Fault{"Sync", Operation::kSync, false},
                                           Fault{"Syncs", Operation::kSync, true}),
                         [](const auto& info) { return info.param.name; });

class DiskLosesPowerTest : public DiskFaultTest {
 protected:
  // Makes the writes until the power is cut at the `nth` operation; returns false if it was not.
  bool CutAt(int nth) {
    const std::unique_ptr<TestDirectory> directory = Fresh();
    Values acknowledged;
    std::optional<Step> in_doubt;
    disk_.CutPower(nth);
    auto life = Life::Begin(directory->path());
    if (life.ok()) {
      for (const Step& step : kSteps) {
        if (!(*life)->Do(step).ok()) {
          in_doubt = step;
          break;
        }
        Apply(step, acknowledged);
      }
      life->reset();
    }
    const bool was_cut = disk_.failures() > 0;
    disk_.Mend();
    Values with_doubt = acknowledged;
    if (in_doubt.has_value()) Apply(*in_doubt, with_doubt);
    for (const bool database_synced_only : {false, true}) {
      for (const bool log_synced_only : {false, true}) {
        const TestDirectory after;
        disk_.CopyAfterPowerCut(directory->path(), after.path(), database_synced_only,
                                log_synced_only);
        const std::optional<Values> found = Reopened(after.path());
        EXPECT_TRUE(found == acknowledged || found == with_doubt)
            << "database synced only: " << database_synced_only
            << ", log synced only: " << log_synced_only;
      }
    }
    return was_cut;
  }
};

TEST_F(DiskLosesPowerTest, EveryAcknowledgedWriteIsThere) {
  int nth = 1;
  while (CutAt(nth) && !HasFailure()) ++nth;
  EXPECT_FALSE(HasFailure()) << "at operation " << nth;
  EXPECT_GT(nth, 20);
}

}  // namespace
}  // namespace steward::storage
