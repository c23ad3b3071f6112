// A bounded map whose entries end after a time.
#ifndef APISERVER_FILTERS_EXPIRING_CACHE_H_
#define APISERVER_FILTERS_EXPIRING_CACHE_H_

#include <list>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace steward::filters {

// Holds at most `capacity` entries; when full, the least recently used one makes room. Not
// thread-safe.
template <typename Value>
class ExpiringCache {
 public:
  explicit ExpiringCache(size_t capacity) : capacity_(capacity) {}

  std::optional<Value> Get(const std::string& key, absl::Time now) {
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
  void Put(const std::string& key, Value value, absl::Time expires) {
    if (capacity_ == 0) return;
    if (auto found = index_.find(key); found != index_.end()) {
      entries_.erase(found->second);
      index_.erase(found);
    }
    if (entries_.size() >= capacity_) {
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front(Entry{key, std::move(value), expires});
    index_.emplace(key, entries_.begin());
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    Value value;
    absl::Time expires;
  };

  const size_t capacity_;
  std::list<Entry> entries_;  // most recently used first
  absl::flat_hash_map<std::string, typename std::list<Entry>::iterator> index_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_EXPIRING_CACHE_H_
