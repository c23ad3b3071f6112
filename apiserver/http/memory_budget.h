// A bound on memory that clients can make the whole server hold.
#ifndef APISERVER_HTTP_MEMORY_BUDGET_H_
#define APISERVER_HTTP_MEMORY_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "apiserver/http/options.h"
#include "base/sync/mutex.h"

namespace steward::http {

// Half of the budget is a reserve for front proxies and for connections that hold little, as those
// of probes and of most users do: whoever takes much leaves them enough. "Little" is so little that
// all connections together cannot take the reserve, and its last part is for front proxies alone.
// Those of one source address that hold more have no more than an eighth, or one connection's share
// if that is more. Thread-safe.
class MemoryBudget {
 private:
  struct Source {
    std::atomic<size_t> held{0};
    size_t shares = 0;
  };

 public:
  explicit MemoryBudget(const Limits& limits)
      : limit_(limits.max_request_memory),
        for_all_(limit_ / 2),
        for_little_(limit_ - limit_ / 16),
        little_(std::min(kMostLittle,
                         (for_little_ - for_all_) / std::max<size_t>(limits.max_connections, 1))),
        source_limit_(std::max(limit_ / 8, limits.max_connection_memory)) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  // A connection that holds no more may draw on the reserve.
  size_t little() const { return little_; }

  // What one connection may hold. Not thread-safe itself. REQUIRES: the budget outlives it.
  class Share {
   public:
    // `remote_address`: "192.0.2.1:55". `trusted`: a front proxy's, which may draw on all of the
    // reserve however much it holds, and counts against no source.
    Share(MemoryBudget& budget, std::string_view remote_address, size_t limit, bool trusted)
        : budget_(budget),
          address_(remote_address.substr(0, remote_address.rfind(':'))),
          limit_(limit),
          source_(trusted ? nullptr : budget.Enter(address_)) {}
    ~Share() {
      if (source_ != nullptr) budget_.Leave(address_);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    size_t held() const { return held_; }

   private:
    friend class MemoryBudget;
    bool Take(size_t bytes) {
      if (bytes > limit_ || held_ > limit_ - bytes) return false;
      size_t limit = budget_.limit_;
      if (source_ != nullptr) {
        // The probe of an address that others use, too, is not theirs to refuse.
        const bool little = held_ + bytes <= budget_.little_;
        if (!Add(source_->held, bytes, little ? SIZE_MAX : budget_.source_limit_)) return false;
        limit = little ? budget_.for_little_ : budget_.for_all_;
      }
      if (!Add(budget_.used_, bytes, limit)) {
        if (source_ != nullptr) source_->held.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
      }
      held_ += bytes;
      return true;
    }
    void GiveBack(size_t bytes) {
      held_ -= bytes;
      if (source_ != nullptr) source_->held.fetch_sub(bytes, std::memory_order_relaxed);
      budget_.used_.fetch_sub(bytes, std::memory_order_relaxed);
    }

    MemoryBudget& budget_;
    const std::string address_;  // without the port
    const size_t limit_;
    Source* const source_;  // null: trusted
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
  static constexpr size_t kMostLittle = 32 << 10;

  static bool Add(std::atomic<size_t>& held, size_t bytes, size_t limit) {
    if (held.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
    held.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  // Stays until all have left.
  Source* Enter(const std::string& address) {
    MutexLock lock(&mutex_);
    Source& source = sources_[address];
    ++source.shares;
    return &source;
  }
  void Leave(const std::string& address) {
    MutexLock lock(&mutex_);
    const auto found = sources_.find(address);
    if (--found->second.shares == 0) sources_.erase(found);
  }

  const size_t limit_;
  const size_t for_all_;
  const size_t for_little_;
  const size_t little_;
  const size_t source_limit_;
  std::atomic<size_t> used_{0};
  Mutex mutex_;
  std::map<std::string, Source> sources_ ABSL_GUARDED_BY(mutex_);
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
