// Compressed forms of shared texts, made once and kept within a budget. Thread-safe.
#ifndef BASE_SPLICE_DEFLATED_TEXTS_H_
#define BASE_SPLICE_DEFLATED_TEXTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "base/splice/shared_text.h"
#include "base/sync/mutex.h"

namespace steward {

// A compressed block for the inside of a gzip stream (base/splice/gzip.h).
struct DeflatedText {
  DeflatedText(std::string block, uint32_t text_crc, uint32_t shift,
               std::shared_ptr<std::atomic<size_t>> account);
  ~DeflatedText();
  DeflatedText(const DeflatedText&) = delete;
  DeflatedText& operator=(const DeflatedText&) = delete;

  const std::string bytes;
  const uint32_t crc;        // of the text
  const uint32_t crc_shift;  // CrcShift of the text's length

 private:
  // the total bytes of the cache that it belongs to
  const std::shared_ptr<std::atomic<size_t>> account_;
};
using DeflatedTextPtr = std::shared_ptr<const DeflatedText>;

// Each form is stored with its text and freed with it. Beyond `budget` bytes, forms are dropped by
// the clock algorithm: first those that were not used since it last looked at them. A form of more
// than a quarter of the budget is not kept at all.
class DeflatedTexts {
 public:
  static constexpr size_t kDefaultBudget = size_t{64} << 20;

  explicit DeflatedTexts(size_t budget = kDefaultBudget) : budget_(budget) {}

  // Returns the kept form of `text`, or compresses it, which takes some 20 ms per megabyte.
  // REQUIRES: `text` is not empty.
  DeflatedTextPtr Get(const SharedText& text);
  // The kept form, or null.
  DeflatedTextPtr Find(const SharedText& text) const;

  // The bytes of all forms that exist, kept or still being sent.
  size_t bytes() const { return account_->load(std::memory_order_relaxed); }
  size_t budget() const { return budget_; }

 private:
  void Keep(const SharedText& text, const DeflatedTextPtr& form);

  const size_t budget_;
  const std::shared_ptr<std::atomic<size_t>> account_ = std::make_shared<std::atomic<size_t>>(0);
  Mutex mutex_;
  std::deque<std::weak_ptr<SharedText::Body>> ring_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward

#endif  // BASE_SPLICE_DEFLATED_TEXTS_H_
