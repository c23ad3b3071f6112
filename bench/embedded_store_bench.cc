// The embedded store: durable writes, loading, and lists of a store that is larger than what a page
// may hold.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/resources.h"
#include "storage/embedded/embedded_client.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

const kube::GroupVersionResource kCsvs{"operators.coreos.com", "v1alpha1",
                                       "clusterserviceversions"};

void Check(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::abort();
}

// A new store in a directory that goes with this object.
class Fixture {
 public:
  Fixture() {
    std::string pattern = std::filesystem::temp_directory_path() / "steward-bench-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    StoreOptions options;
    options.directory = directory_;
    absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(std::move(options), Clock::Real());
    Check(store.status());
    store_ = *std::move(store);
    client_ = std::make_unique<EmbeddedClient>(*store_, Clock::Real(), Random::Real());
  }
  ~Fixture() {
    client_.reset();
    store_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  // Creates objects `from` to `to`, `writers` at a time.
  void Fill(const kube::GroupVersionResource& gvr, const std::string& ns, int from, int to,
            int writers, const std::string& fill = "") {
    next_ = from;
    TaskGroup tasks(io_.get_executor());
    for (int i = 0; i < writers; ++i) {
      tasks.Spawn("writer", Writer(*client_, next_, to, gvr, ns, fill));
    }
    io_.restart();
    io_.run();
    RunOn(io_, tasks.Stop());
  }

  template <typename T>
  T Run(asio::awaitable<T> task) {
    return RunOn(io_, std::move(task));
  }
  EmbeddedClient& client() { return *client_; }

 private:
  static VoidTask Writer(EmbeddedClient& client, int& next, int to, kube::GroupVersionResource gvr,
                         std::string ns, std::string fill) {
    const kube::WriteOptions options;
    while (next < to) {
      const std::string name = "object-" + std::to_string(next++);
      json::value object = json::object{{"metadata", json::object{{"name", name}}}};
      if (gvr == kCsvs) {
        object.as_object()["apiVersion"] = "operators.coreos.com/v1alpha1";
        object.as_object()["kind"] = "ClusterServiceVersion";
      }
      if (!fill.empty()) object.as_object()["spec"] = json::object{{"fill", fill}};
      const absl::StatusOr<json::value> made = co_await client.Create(gvr, ns, object, options);
      Check(made.status());
    }
  }

  std::string directory_;
  asio::io_context io_{1};
  std::unique_ptr<Store> store_;
  std::unique_ptr<EmbeddedClient> client_;
  int next_ = 0;
};

// Each is on disk before the next begins (1 writer), or shares its commit with others.
void BM_DurableWrites(benchmark::State& state) {
  Fixture store;
  int made = 0;
  constexpr int kStep = 200;
  for (auto _ : state) {
    store.Fill(kube::kNamespaces, "", made, made + kStep, static_cast<int>(state.range(0)));
    made += kStep;
  }
  state.SetItemsProcessed(made);
}
BENCHMARK(BM_DurableWrites)->Arg(1)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_LoadTenThousandNamespacesAndFiveHundredCsvs(benchmark::State& state) {
  const std::string fill(50'000, 'x');
  for (auto _ : state) {
    Fixture store;
    store.Fill(kube::kNamespaces, "", 0, 10'000, 64);
    store.Fill(kCsvs, "object-0", 0, 500, 64, fill);
  }
}
BENCHMARK(BM_LoadTenThousandNamespacesAndFiveHundredCsvs)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();

int64_t ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmRSS:") continue;
    int64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes;
  }
  return 0;
}

// In pages, as every server lists it; 100,000 objects of 2 kB each. `memory_kB` is what the process
// grew by meanwhile.
void BM_ListAHundredThousand(benchmark::State& state) {
  Fixture store;
  store.Fill(kube::kNamespaces, "", 0, 1, 1);
  store.Fill(kCsvs, "object-0", 0, 100'000, 256, std::string(2'000, 'x'));
  const int64_t before = ResidentKilobytes();
  int64_t most = before;
  for (auto _ : state) {
    kube::ListOptions options;
    options.limit = 500;
    size_t items = 0;
    do {
      absl::StatusOr<kube::ListPage> page = store.Run(store.client().List(kCsvs, options));
      Check(page.status());
      items += page->items.size();
      options.continue_token = page->continue_token;
      most = std::max(most, ResidentKilobytes());
    } while (!options.continue_token.empty());
    if (items != 100'000) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 100'000);
  state.counters["memory_kB"] = static_cast<double>(most - before);
}
BENCHMARK(BM_ListAHundredThousand)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace steward::storage

BENCHMARK_MAIN();
