// The operators that the measurements read: stand-ins of the size of real ones. Pure functions.
#ifndef BENCH_OPERATORS_H_
#define BENCH_OPERATORS_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"

namespace steward {

// A ClusterServiceVersion of the size that real ones have: 47 kB of JSON, half of it an icon.
inline std::string CsvJson(int number, std::string_view phase = "Succeeded") {
  return StrCat(R"({"metadata":{"name":"operator-)", number, R"(.v1.0.0","namespace":"ops-)",
                number, R"(","uid":"0d8a3f2e-5f0c-4a52-9e6f-)", 100000000000 + number,
                R"(","creationTimestamp":"2026-01-05T00:00:00Z","labels":{"olm.managed":"true"},)"
                R"("annotations":{"alm-examples":")",
                std::string(4000, 'e'), R"("}},"spec":{"displayName":"Operator","description":")",
                std::string(16000, 'd'), R"(","icon":[{"base64data":")", std::string(22000, 'A'),
                R"(","mediatype":"image/png"}]},"status":{"phase":")", phase,
                R"(","message":"ok","reason":"InstallSucceeded","requirementStatus":")",
                std::string(4500, 's'), R"("}})");
}

// Installs `operators`, of which each watches all `namespaces`: team-0, team-1, and so on.
inline void InstallOperators(storage::OperatorWriter& writer, int operators, int namespaces) {
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
  writer.Replace(csvs, 100);
  writer.Replace(groups, 101);
  writer.Replace(names, 102);
}

}  // namespace steward

#endif  // BENCH_OPERATORS_H_
