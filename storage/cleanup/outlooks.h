// The outlooks on cleanup of a World's operators.
#ifndef STORAGE_CLEANUP_OUTLOOKS_H_
#define STORAGE_CLEANUP_OUTLOOKS_H_

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"
#include "kube/meta/names.h"
#include "olm/cleanup/outlook.h"
#include "olm/objects.h"
#include "storage/world/ordered_map.h"
#include "storage/world/world.h"

namespace steward::storage {

// One for each ClusterServiceVersion that is no copy.
using OutlookMap = std::map<kube::NamespacedName, std::shared_ptr<const olm::CleanupOutlook>>;
using OutlookMapPtr = std::shared_ptr<const OutlookMap>;

// Computes them, and remembers those of the last few Worlds: readers mostly ask for the same, and
// from one to the next only few change. Thread-safe; holds no lock while it computes. Memory: for
// each World remembered a pointer for each operator, and once what they were computed from.
class CleanupOutlooks {
 public:
  // A pure function of the World's objects, whichever replica and whenever. Never null. Worlds of
  // the same objects have the same map, and outlooks that are equal are mostly the same: comparing
  // two maps costs little.
  OutlookMapPtr Of(const WorldPtr& world);

 private:
  static constexpr size_t kEntries = 8;

  using Users = std::map<std::string, std::shared_ptr<const olm::CrdUsers>, std::less<>>;
  using Replacers =
      std::map<kube::NamespacedName, std::shared_ptr<const std::vector<kube::NamespacedName>>>;
  // What depends on all ClusterServiceVersions together.
  struct Relations {
    Users users;          // by name of the definition
    Replacers replacers;  // by what is replaced
  };
  struct Known {
    olm::OutlookInputs inputs;
    std::shared_ptr<const olm::CleanupOutlook> outlook;
  };
  using Selected = std::map<std::string, std::shared_ptr<const std::vector<std::string>>>;
  // All that went into one map.
  struct Basis {
    WorldPtr world;
    std::shared_ptr<const Relations> relations;
    Selected selected;  // by install namespace
    std::map<kube::NamespacedName, Known> known;
    OutlookMapPtr outlooks;
  };
  struct Entry {
    WorldPtr world;
    OutlookMapPtr outlooks;
  };

  // Null when it is not among those remembered.
  OutlookMapPtr Find(const World& world) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static std::shared_ptr<const Relations> RelationsOf(const World& world, const Relations* before);
  static Selected SelectedIn(const World& world, const Basis* before);
  static olm::OutlookInputs InputsFor(const World& world, const olm::CsvPtr& csv,
                                      const Relations& relations, const Selected& selected);
  static std::shared_ptr<const Basis> Compute(const WorldPtr& world, const Basis* before);

  Mutex mutex_;
  std::shared_ptr<const Basis> newest_ ABSL_GUARDED_BY(mutex_);  // computed last
  std::array<Entry, kEntries> entries_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // the oldest
};

}  // namespace steward::storage

#endif  // STORAGE_CLEANUP_OUTLOOKS_H_
