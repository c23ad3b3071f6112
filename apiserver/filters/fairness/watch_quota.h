// A limit on the number of watches, in all and for each user. Thread-safe.
#ifndef APISERVER_FILTERS_FAIRNESS_WATCH_QUOTA_H_
#define APISERVER_FILTERS_FAIRNESS_WATCH_QUOTA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "apiserver/filters/fairness/reserve.h"
#include "base/sync/mutex.h"

namespace steward::filters {

// The last eighth of all is for users who have few (see Reserve). Thread-safe. Outlives its slots.
class WatchQuota {
 public:
  struct Limits {
    size_t all = 15'000;      // 0 = no limit
    size_t per_user = 5'000;  // 0 = no limit
  };

  // The permission for one watch, held until destruction.
  class Slot {
   public:
    Slot(WatchQuota& quota, std::string user) : quota_(&quota), user_(std::move(user)) {}
    Slot(Slot&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), user_(std::move(other.user_)) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (quota_ != nullptr) quota_->Leave(user_);
    }

   private:
    WatchQuota* quota_;
    std::string user_;
  };

  explicit WatchQuota(Limits limits) : limits_(limits), reserve_(limits.all) {}

  // nullopt when this user, or all users together, have reached the limit.
  std::optional<Slot> Take(const std::string& user);

 private:
  void Leave(const std::string& user);

  const Limits limits_;
  const Reserve reserve_;
  Mutex mutex_;
  size_t all_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, size_t> by_user_ ABSL_GUARDED_BY(mutex_);  // no count is 0
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_FAIRNESS_WATCH_QUOTA_H_
