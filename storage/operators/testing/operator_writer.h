// A writer of OperatorWorlds that takes typed objects, for tests. Not thread-safe.
#ifndef STORAGE_OPERATORS_TESTING_OPERATOR_WRITER_H_
#define STORAGE_OPERATORS_TESTING_OPERATOR_WRITER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_writer.h"

namespace steward::storage {

// A WorldWriter of kOperatorSources.
class OperatorWriter : public WorldWriter {
 public:
  OperatorWriter() : WorldWriter(kOperatorSources) {}

  using WorldWriter::Put;
  void Put(olm::CsvPtr csv, uint64_t revision) { Put(kCsvSource, std::move(csv), revision); }
  void Put(olm::OperatorGroupPtr group, uint64_t revision) {
    Put(kOperatorGroupSource, std::move(group), revision);
  }
  void Put(olm::NamespacePtr ns, uint64_t revision) {
    Put(kNamespaceSource, std::move(ns), revision);
  }

  using WorldWriter::Replace;
  void Replace(const std::vector<olm::CsvPtr>& csvs, uint64_t revision) {
    Replace(kCsvSource, {csvs.begin(), csvs.end()}, revision);
  }
  void Replace(const std::vector<olm::OperatorGroupPtr>& groups, uint64_t revision) {
    Replace(kOperatorGroupSource, {groups.begin(), groups.end()}, revision);
  }
  void Replace(const std::vector<olm::NamespacePtr>& namespaces, uint64_t revision) {
    Replace(kNamespaceSource, {namespaces.begin(), namespaces.end()}, revision);
  }

  OperatorWorldPtr Snapshot() const { return OperatorWorld::Of(WorldWriter::Snapshot()); }
};

}  // namespace steward::storage

#endif  // STORAGE_OPERATORS_TESTING_OPERATOR_WRITER_H_
