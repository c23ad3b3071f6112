// A bound on memory that clients can make the whole server hold.
#ifndef APISERVER_HTTP_MEMORY_BUDGET_H_
#define APISERVER_HTTP_MEMORY_BUDGET_H_

#include <atomic>
#include <cstddef>

namespace steward::http {

// Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(size_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t used() const { return used_.load(std::memory_order_relaxed); }

  // A share of the budget, given back on destruction. Not thread-safe itself. REQUIRES: the budget
  // outlives it.
  class Lease {
   public:
    explicit Lease(MemoryBudget& budget) : budget_(budget) {}
    ~Lease() { Reset(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    // False, and nothing taken, when the budget does not allow `bytes` more.
    bool Grow(size_t bytes) {
      if (budget_.used_.fetch_add(bytes, std::memory_order_relaxed) + bytes > budget_.limit_) {
        budget_.used_.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
      }
      held_ += bytes;
      return true;
    }
    void Reset() {
      budget_.used_.fetch_sub(held_, std::memory_order_relaxed);
      held_ = 0;
    }

   private:
    MemoryBudget& budget_;
    size_t held_ = 0;
  };

 private:
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_MEMORY_BUDGET_H_
