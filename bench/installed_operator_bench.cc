// The costs at which one replica takes in a change and answers a read, without any network.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/projection.h"
#include "base/text/str_cat.h"
#include "bench/operators.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/number.h"
#include "storage/world/world.h"

namespace steward {
namespace {

// `operators` of which each watches all `namespaces`.
storage::OperatorWorldPtr MakeWorld(int operators, int namespaces) {
  storage::OperatorWriter writer;
  InstallOperators(writer, operators, namespaces);
  return writer.Snapshot();
}

void BM_DecodeCsv(benchmark::State& state) {
  const std::string json = CsvJson(1);
  for (auto _ : state) benchmark::DoNotOptimize(olm::DecodeCsv(json));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(json.size()));
}
BENCHMARK(BM_DecodeCsv);

void BM_ListNamespaceJson(benchmark::State& state) {
  const storage::OperatorWorldPtr world = MakeWorld(6, 1000);
  const std::string version =
      storage::Number{1000 * storage::kTicks, storage::Number::kComplete, {1, 1, 1}}.ToString();
  Rope out;
  for (auto _ : state) {
    out.Clear();
    for (views::Appearance& seen : views::AppearancesIn(*world, "team-500")) {
      views::InstalledOperatorObject(std::move(seen)).AppendJson(version, out);
    }
    benchmark::DoNotOptimize(out.size());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(BM_ListNamespaceJson);

void BM_ListNamespaceMetadata(benchmark::State& state) {
  const storage::OperatorWorldPtr world = MakeWorld(6, 1000);
  const std::string version =
      storage::Number{1000 * storage::kTicks, storage::Number::kComplete, {1, 1, 1}}.ToString();
  Rope out;
  for (auto _ : state) {
    out.Clear();
    for (views::Appearance& seen : views::AppearancesIn(*world, "team-500")) {
      views::InstalledOperatorObject(std::move(seen)).AppendMetadata(version, out);
    }
    benchmark::DoNotOptimize(out.size());
  }
}
BENCHMARK(BM_ListNamespaceMetadata);

// One label changed on an original: with copies, 1,000 writes; here, one pointer in one map.
void BM_ChangeOneCsv(benchmark::State& state) {
  storage::OperatorWriter writer;
  std::vector<olm::CsvPtr> csvs;
  for (int i = 0; i < 500; ++i) csvs.push_back(*olm::DecodeCsv(CsvJson(i)));
  writer.Replace(csvs, 100);
  uint64_t revision = 100;
  for (auto _ : state) {
    auto changed = std::make_shared<olm::Csv>(*csvs[7]);
    changed->phase = revision % 2 == 0 ? "Succeeded" : "Failed";
    writer.Put(std::move(changed), ++revision);
    benchmark::DoNotOptimize(writer.Snapshot());
  }
}
BENCHMARK(BM_ChangeOneCsv);

void BM_NewNamespace(benchmark::State& state) {
  storage::OperatorWriter writer;
  uint64_t revision = 100;
  for (auto _ : state) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = StrCat("team-", revision % 10000);
    ns->uid = StrCat("ns-", revision);
    writer.Put(std::move(ns), ++revision);
    benchmark::DoNotOptimize(writer.Snapshot());
  }
}
BENCHMARK(BM_NewNamespace);

}  // namespace
}  // namespace steward

BENCHMARK_MAIN();
