// A bound on memory that clients can make the whole server hold.
#ifndef APISERVER_HTTP_MEMORY_BUDGET_H_
#define APISERVER_HTTP_MEMORY_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>

namespace steward::http {

// An eighth of the budget is a reserve for front proxies and for connections that hold little, as
// those of probes and of most users do: whoever takes much leaves them enough. Thread-safe.
class MemoryBudget {
 public:
  // A connection that holds no more may draw on the reserve.
  static constexpr size_t kLittle = 32 << 10;

  explicit MemoryBudget(size_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

  // What one connection may hold. Not thread-safe itself. REQUIRES: the budget outlives it.
  class Share {
   public:
    // `trusted`: may draw on the reserve however much it holds.
    Share(MemoryBudget& budget, size_t limit, bool trusted)
        : budget_(budget), limit_(limit), trusted_(trusted) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    size_t held() const { return held_; }

   private:
    friend class MemoryBudget;
    bool Take(size_t bytes) {
      if (bytes > limit_ || held_ > limit_ - bytes) return false;
      const bool reserve = trusted_ || held_ + bytes <= kLittle;
      if (!budget_.Take(bytes, reserve)) return false;
      held_ += bytes;
      return true;
    }
    void GiveBack(size_t bytes) {
      held_ -= bytes;
      budget_.used_.fetch_sub(bytes, std::memory_order_relaxed);
    }

    MemoryBudget& budget_;
    const size_t limit_;
    const bool trusted_;
    size_t held_ = 0;
  };

  // Of a share, given back on destruction. Not thread-safe itself. REQUIRES: the share outlives it.
  class Lease {
   public:
    explicit Lease(Share& share) : share_(share) {}
    ~Lease() { Reset(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    // False, and nothing taken, when share or budget do not allow `bytes` more.
    bool Grow(size_t bytes) {
      if (!share_.Take(bytes)) return false;
      held_ += bytes;
      return true;
    }
    // REQUIRES: that many are held.
    void Shrink(size_t bytes) {
      share_.GiveBack(bytes);
      held_ -= bytes;
    }
    void Reset() { Shrink(held_); }

   private:
    Share& share_;
    size_t held_ = 0;
  };

 private:
  bool Take(size_t bytes, bool reserve) {
    const size_t limit = reserve ? limit_ : limit_ - limit_ / 8;
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  const size_t limit_;
  std::atomic<size_t> used_{0};
};

// Makes room for `bytes` more in `text`, counted by what the string holds. False: there is none.
inline bool GrowString(MemoryBudget::Lease& lease, std::string& text, size_t bytes) {
  const size_t wanted = text.size() + bytes;
  if (wanted <= text.capacity()) return true;
  const size_t capacity = std::max(wanted, 2 * text.capacity());
  if (!lease.Grow(capacity - text.capacity())) return false;
  text.reserve(capacity);
  return true;
}

}  // namespace steward::http

#endif  // APISERVER_HTTP_MEMORY_BUDGET_H_
