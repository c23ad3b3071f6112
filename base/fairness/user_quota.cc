#include "base/fairness/user_quota.h"

namespace steward {

std::optional<UserQuota::Slot> UserQuota::Take(const std::string& user) {
  MutexLock lock(&mutex_);
  if (limits_.all > 0 && all_ >= limits_.all) return std::nullopt;
  const auto found = by_user_.find(user);
  const size_t before = found == by_user_.end() ? 0 : found->second;
  if (limits_.all > 0 && !reserve_.Allows(all_, before)) return std::nullopt;
  if (limits_.per_user > 0 && before >= limits_.per_user) return std::nullopt;
  by_user_[user] = before + 1;
  ++all_;
  return std::optional<Slot>(std::in_place, *this, user);
}

void UserQuota::Leave(const std::string& user) {
  MutexLock lock(&mutex_);
  --all_;
  const auto found = by_user_.find(user);
  if (--found->second == 0) by_user_.erase(found);
}

}  // namespace steward
