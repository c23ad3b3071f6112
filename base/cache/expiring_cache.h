// A bounded map whose entries end after a time.
#ifndef BASE_CACHE_EXPIRING_CACHE_H_
#define BASE_CACHE_EXPIRING_CACHE_H_

#include <list>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace steward {

// Holds at most `capacity` entries; when full, the least recently used one makes room. `now` is the
// wall clock's time; when that is earlier than at an earlier call, the clock was set back, how old
// the entries are is unknown, and all of them end. Not thread-safe.
template <typename Value>
class ExpiringCache {
 public:
  explicit ExpiringCache(size_t capacity) : capacity_(capacity) {}

  std::optional<Value> Get(const std::string& key, absl::Time now) {
    Notice(now);
    auto found = index_.find(key);
    if (found == index_.end()) return std::nullopt;
    auto entry = found->second;
    if (entry->expires <= now) {
      index_.erase(found);
      entries_.erase(entry);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->value;
  }

  // Replaces an entry of the same key.
  void Put(const std::string& key, Value value, absl::Time now, absl::Duration ttl) {
    if (capacity_ == 0) return;
    Notice(now);
    if (auto found = index_.find(key); found != index_.end()) {
      entries_.erase(found->second);
      index_.erase(found);
    }
    if (entries_.size() >= capacity_) {
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front(Entry{key, std::move(value), now + ttl});
    index_.emplace(key, entries_.begin());
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    Value value;
    absl::Time expires;
  };

  void Notice(absl::Time now) {
    if (now < latest_) {
      index_.clear();
      entries_.clear();
    }
    latest_ = now;
  }

  const size_t capacity_;
  absl::Time latest_ = absl::InfinitePast();
  std::list<Entry> entries_;  // most recently used first
  absl::flat_hash_map<std::string, typename std::list<Entry>::iterator> index_;
};

}  // namespace steward

#endif  // BASE_CACHE_EXPIRING_CACHE_H_
