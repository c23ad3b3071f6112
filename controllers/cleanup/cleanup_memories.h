// A cleaner's memories of the ClusterServiceVersions that are being deleted. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_CLEANUP_MEMORIES_H_
#define CONTROLLERS_CLEANUP_CLEANUP_MEMORIES_H_

#include <cstddef>
#include <map>
#include <memory>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_memory.h"
#include "kube/meta/names.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

class CleanupMemories {
 public:
  // `clock` outlives the memories. A cleanup that gets nothing done for `stall_timeout` is stalled.
  CleanupMemories(const Clock& clock, absl::Duration stall_timeout)
      : clock_(clock), stall_timeout_(stall_timeout) {}

  // The memory of `csv`, by its UID; a new one where there is none. Valid until it is forgotten.
  CleanupMemory& Of(const olm::CsvFacts& csv);
  void Forget(const kube::NamespacedName& csv) { memories_.erase(csv); }

  size_t size() const { return memories_.size(); }

 private:
  const Clock& clock_;
  const absl::Duration stall_timeout_;
  std::map<kube::NamespacedName, std::unique_ptr<CleanupMemory>> memories_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_MEMORIES_H_
