#include "base/splice/deflated_texts.h"

#include <utility>

#include "base/splice/gzip.h"

namespace steward {
namespace {

// Each text is compressed once and used often, so a good level pays.
constexpr int kLevel = 6;

}  // namespace

DeflatedText::DeflatedText(std::string block, uint32_t text_crc, uint32_t shift,
                           std::shared_ptr<std::atomic<size_t>> account)
    : bytes(std::move(block)), crc(text_crc), crc_shift(shift), account_(std::move(account)) {
  account_->fetch_add(bytes.capacity(), std::memory_order_relaxed);
}

DeflatedText::~DeflatedText() { account_->fetch_sub(bytes.capacity(), std::memory_order_relaxed); }

DeflatedTextPtr DeflatedTexts::Find(const SharedText& text) const {
  SharedText::Body& body = *text.body_;
  MutexLock lock(&body.mutex);
  if (body.deflated != nullptr) body.used.store(true, std::memory_order_relaxed);
  return body.deflated;
}

DeflatedTextPtr DeflatedTexts::Get(const SharedText& text) {
  if (DeflatedTextPtr found = Find(text)) return found;
  std::string block;
  AppendDeflated(text.view(), kLevel, block);
  block.shrink_to_fit();
  auto form = std::make_shared<const DeflatedText>(std::move(block), ExtendCrc(0, text.view()),
                                                   CrcShift(text.size()), account_);
  if (form->bytes.size() <= budget_ / 4) Keep(text, form);
  return form;
}

void DeflatedTexts::Keep(const SharedText& text, const DeflatedTextPtr& form) {
  MutexLock lock(&mutex_);
  {
    SharedText::Body& body = *text.body_;
    MutexLock body_lock(&body.mutex);
    if (body.deflated != nullptr) return;  // another thread was faster
    body.deflated = form;
  }
  ring_.push_back(text.body_);
  // Two steps for each new entry are enough to remove entries of texts that are gone. Beyond the
  // budget, two rounds reach every form that is not in use: the first clears its `used`.
  const size_t steps = bytes() > budget_ ? 2 * ring_.size() : 2;
  for (size_t i = 0; i < steps && (i < 2 || bytes() > budget_) && !ring_.empty(); ++i) {
    const std::shared_ptr<SharedText::Body> body = ring_.front().lock();
    ring_.pop_front();
    if (body == nullptr) continue;
    if (bytes() <= budget_ || body->used.exchange(false, std::memory_order_relaxed)) {
      ring_.push_back(body);
      continue;
    }
    MutexLock body_lock(&body->mutex);
    body->deflated = nullptr;
  }
}

}  // namespace steward
