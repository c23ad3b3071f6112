// A limit on what users hold at a time, in all and for each. Thread-safe.
#ifndef BASE_FAIRNESS_USER_QUOTA_H_
#define BASE_FAIRNESS_USER_QUOTA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "base/fairness/reserve.h"
#include "base/sync/mutex.h"

namespace steward {

// The last eighth of `all` is for users who have few (see Reserve). Thread-safe. REQUIRES: outlives
// its slots.
class UserQuota {
 public:
  struct Limits {
    size_t all = 0;       // 0 = no limit
    size_t per_user = 0;  // 0 = no limit
  };

  // The permission to hold one thing, until destruction.
  class Slot {
   public:
    Slot() = default;  // holds nothing
    Slot(UserQuota& quota, std::string user) : quota_(&quota), user_(std::move(user)) {}
    Slot(Slot&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), user_(std::move(other.user_)) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(user_, other.user_);
      return *this;
    }
    ~Slot() {
      if (quota_ != nullptr) quota_->Leave(user_);
    }

   private:
    UserQuota* quota_ = nullptr;
    std::string user_;
  };

  explicit UserQuota(Limits limits) : limits_(limits), reserve_(limits.all) {}

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

}  // namespace steward

#endif  // BASE_FAIRNESS_USER_QUOTA_H_
