// A bounded map whose entries expire. Not thread-safe.
#ifndef BASE_CACHE_EXPIRING_CACHE_H_
#define BASE_CACHE_EXPIRING_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace steward {

// Holds at most `capacity` entries, and at most `share` of one owner; a new entry without room
// replaces the least recently used one (of its owner, if that has its share). `now` is the wall
// clock's time. When it is earlier than in a previous call, the clock was set back: the entries'
// age is unknown, so all of them are dropped.
template <typename Value>
class ExpiringCache {
 public:
  explicit ExpiringCache(size_t capacity, size_t share = SIZE_MAX)
      : capacity_(capacity), share_(share) {}

  std::optional<Value> Get(const std::string& key, absl::Time now) {
    Notice(now);
    auto found = index_.find(key);
    if (found == index_.end()) return std::nullopt;
    auto entry = found->second;
    if (entry->expires <= now) {
      Erase(entry);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    if (share_ != SIZE_MAX) {
      Entries& of = owners_.find(entry->owner)->second;
      of.splice(of.begin(), of, entry->place);
    }
    return entry->value;
  }

  // Replaces an entry of the same key. `owner`: the user who counts for the entry in `share`; "" is
  // an owner, too.
  void Put(const std::string& key, Value value, absl::Time now, absl::Duration ttl,
           const std::string& owner = "") {
    if (capacity_ == 0 || share_ == 0) return;
    Notice(now);
    if (auto found = index_.find(key); found != index_.end()) Erase(found->second);
    if (auto of = owners_.find(owner); of != owners_.end() && of->second.size() >= share_) {
      Erase(of->second.back());
    }
    if (entries_.size() >= capacity_) Erase(std::prev(entries_.end()));
    entries_.push_front(Entry{key, std::move(value), now + ttl, {}, {}});
    index_.emplace(key, entries_.begin());
    if (share_ == SIZE_MAX) return;
    Entries& of = owners_[owner];
    of.push_front(entries_.begin());
    entries_.front().owner = owner;
    entries_.front().place = of.begin();
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry;
  // Most recently used first.
  using Entries = std::list<typename std::list<Entry>::iterator>;
  struct Entry {
    std::string key;
    Value value;
    absl::Time expires;
    // Its place among the entries of its owner. Set only if owners have a share.
    std::string owner;
    typename Entries::iterator place;
  };

  void Notice(absl::Time now) {
    if (now < latest_) {
      index_.clear();
      owners_.clear();
      entries_.clear();
    }
    latest_ = now;
  }

  void Erase(typename std::list<Entry>::iterator entry) {
    if (share_ != SIZE_MAX) {
      const auto of = owners_.find(entry->owner);
      of->second.erase(entry->place);
      if (of->second.empty()) owners_.erase(of);
    }
    index_.erase(entry->key);
    entries_.erase(entry);
  }

  const size_t capacity_;
  const size_t share_;
  absl::Time latest_ = absl::InfinitePast();
  std::list<Entry> entries_;  // most recently used first
  absl::flat_hash_map<std::string, typename std::list<Entry>::iterator> index_;
  absl::flat_hash_map<std::string, Entries> owners_;  // none is empty
};

}  // namespace steward

#endif  // BASE_CACHE_EXPIRING_CACHE_H_
