// A table of values that are held once for many holders and identified by small numbers. Not
// thread-safe.
#ifndef CONTROLLERS_CLEANUP_GUARDS_INTERN_TABLE_H_
#define CONTROLLERS_CLEANUP_GUARDS_INTERN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace steward::controllers {

// A value exists as long as it has a holder. `T` is ordered.
template <typename T>
class InternTable {
 public:
  using Id = uint32_t;

  // Adds a holder of `value`. Its number stays the same until the last holder drops it.
  Id Hold(const T& value) {
    const auto [it, is_new] = ids_.try_emplace(value, Id{});
    if (is_new) it->second = NewSlot(it->first);
    ++slots_[it->second].holders;
    return it->second;
  }
  // REQUIRES: the value is held.
  void Drop(Id id) {
    Slot& slot = slots_[id];
    if (--slot.holders > 0) return;
    ids_.erase(ids_.find(*slot.value));
    slot.value = nullptr;
    free_.push_back(id);
  }
  // REQUIRES: the value is held.
  const T& operator[](Id id) const { return *slots_[id].value; }

  // All numbers are below this bound.
  size_t bound() const { return slots_.size(); }
  bool holds(Id id) const { return slots_[id].value != nullptr; }
  size_t size() const { return ids_.size(); }

 private:
  struct Slot {
    const T* value = nullptr;  // a key of ids_
    size_t holders = 0;
  };
  Id NewSlot(const T& value) {
    if (free_.empty()) {
      free_.push_back(static_cast<Id>(slots_.size()));
      slots_.emplace_back();
    }
    const Id id = free_.back();
    free_.pop_back();
    slots_[id] = {&value, 0};
    return id;
  }

  std::map<T, Id> ids_;
  std::vector<Slot> slots_;
  std::vector<Id> free_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_INTERN_TABLE_H_
