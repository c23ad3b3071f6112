// A limit on the memory that clients can make the whole server hold. Thread-safe.
#ifndef APISERVER_HTTP_LIMITS_MEMORY_BUDGET_H_
#define APISERVER_HTTP_LIMITS_MEMORY_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "apiserver/http/limits/options.h"
#include "base/sync/mutex.h"
#include "base/text/ip_address.h"

namespace steward::http {

// The bytes that may wait for a watch's client without being counted. They mostly wait for a moment
// only, and the number of watches is bounded.
inline constexpr size_t kWatchOwnBytes = 4 << 10;

// Half of the budget is a reserve for front proxies and for connections that hold little, such as
// probes and most users, so that a client that takes much leaves enough for these. little() is so
// small that all connections together cannot exhaust the reserve. The last part of the reserve is
// for front proxies alone. The larger connections of one source address together get at most an
// eighth of the budget, or one connection's share if that is more. Data that waits for clients of
// watches gets at most a fourth, since requests, even those of front proxies, have priority.
// Thread-safe.
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
  // The number of watches that were reset, because there was no memory for the bytes that waited
  // for their clients.
  uint64_t watches_reset() const { return watches_reset_.load(std::memory_order_relaxed); }
  void CountResetWatch() { watches_reset_.fetch_add(1, std::memory_order_relaxed); }
  // A connection may draw on the reserve as long as it holds at most this many bytes.
  size_t little() const { return little_; }

  // The share of one connection. Not thread-safe itself. REQUIRES: the budget outlives it.
  class Share {
   public:
    // `remote_address` is "192.0.2.1:55". `trusted`: a front proxy's share, which may draw on the
    // whole reserve however much it holds, and counts against no source.
    Share(MemoryBudget& budget, std::string_view remote_address, size_t limit, bool trusted)
        : budget_(budget),
          address_(WithoutPort(remote_address)),
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
        // A source's limit does not apply to little shares, so that other users of the address
        // cannot block a probe.
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

  enum class Use { kRequest, kWatch };

  // Bytes of a share, which destruction gives back. Not thread-safe. REQUIRES: the share outlives
  // it.
  class Lease {
   public:
    explicit Lease(Share& share, Use use = Use::kRequest) : share_(share), use_(use) {}
    ~Lease() { Reset(); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    // False, with nothing taken, when share or budget do not allow `bytes` more.
    bool Grow(size_t bytes) {
      MemoryBudget& budget = share_.budget_;
      const bool watch = use_ == Use::kWatch;
      if (watch && !Add(budget.watches_, bytes, budget.limit_ / 4)) return false;
      if (!share_.Take(bytes)) {
        if (watch) budget.watches_.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
      }
      held_ += bytes;
      return true;
    }
    // REQUIRES: at least `bytes` are held.
    void Shrink(size_t bytes) {
      if (bytes == 0) return;
      share_.GiveBack(bytes);
      if (use_ == Use::kWatch) {
        share_.budget_.watches_.fetch_sub(bytes, std::memory_order_relaxed);
      }
      held_ -= bytes;
    }
    void Reset() { Shrink(held_); }

    Share& share() { return share_; }

   private:
    Share& share_;
    const Use use_;
    size_t held_ = 0;
  };

 private:
  static constexpr size_t kMostLittle = 32 << 10;

  static bool Add(std::atomic<size_t>& held, size_t bytes, size_t limit) {
    if (held.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
    held.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  // The source stays until its last share has left.
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
  std::atomic<size_t> watches_{0};  // of used_, what waits for the clients of watches
  std::atomic<uint64_t> watches_reset_{0};
  Mutex mutex_;
  std::map<std::string, Source> sources_ ABSL_GUARDED_BY(mutex_);
};

// Makes room for `bytes` more in `text`, counted by the string's capacity. False when the lease
// cannot grow.
inline bool GrowString(MemoryBudget::Lease& lease, std::string& text, size_t bytes) {
  const size_t wanted = text.size() + bytes;
  if (wanted <= text.capacity()) return true;
  const size_t capacity = std::max(wanted, 2 * text.capacity());
  if (!lease.Grow(capacity - text.capacity())) return false;
  text.reserve(capacity);
  return true;
}

}  // namespace steward::http

#endif  // APISERVER_HTTP_LIMITS_MEMORY_BUDGET_H_
