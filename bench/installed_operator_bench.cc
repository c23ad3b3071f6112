// The costs at which one replica takes in a change and answers a read, without any network.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/projection.h"
#include "base/text/str_cat.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/number.h"
#include "storage/world/world.h"

namespace steward {
namespace {

// A ClusterServiceVersion of the size that real ones have: 47 kB of JSON, half of it an icon.
std::string CsvJson(int number) {
  return StrCat(R"({"metadata":{"name":"operator-)", number, R"(.v1.0.0","namespace":"ops-)",
                number, R"(","uid":"0d8a3f2e-5f0c-4a52-9e6f-)", 100000000000 + number,
                R"(","creationTimestamp":"2026-01-05T00:00:00Z","labels":{"olm.managed":"true"},)"
                R"("annotations":{"alm-examples":")",
                std::string(4000, 'e'), R"("}},"spec":{"displayName":"Operator","description":")",
                std::string(16000, 'd'), R"(","icon":[{"base64data":")", std::string(22000, 'A'),
                R"(","mediatype":"image/png"}]},"status":{"phase":"Succeeded","message":"ok",)"
                R"("reason":"InstallSucceeded","requirementStatus":")",
                std::string(4500, 's'), R"("}})");
}

// `operators` of which each watches all `namespaces`.
storage::OperatorWorldPtr MakeWorld(int operators, int namespaces) {
  storage::OperatorWriter writer;
  std::vector<olm::CsvPtr> csvs;
  std::vector<olm::OperatorGroupPtr> groups;
  for (int i = 0; i < operators; ++i) {
    csvs.push_back(*olm::DecodeCsv(CsvJson(i)));
    auto group = std::make_shared<olm::OperatorGroup>();
    group->key = {StrCat("ops-", i), "global"};
    group->uid = StrCat("group-", i);
    groups.push_back(std::move(group));
  }
  std::vector<olm::NamespacePtr> names;
  for (int i = 0; i < namespaces; ++i) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = StrCat("team-", i);
    ns->uid = StrCat("ns-", i);
    ns->created = "2026-01-01T00:00:00Z";
    names.push_back(std::move(ns));
  }
  writer.Replace(std::move(csvs), 100);
  writer.Replace(std::move(groups), 101);
  writer.Replace(std::move(names), 102);
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
