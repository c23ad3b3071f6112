// A text that many answers contain: held once, and compressed once. Thread-safe.
#ifndef BASE_SPLICE_SHARED_TEXT_H_
#define BASE_SPLICE_SHARED_TEXT_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward {

struct DeflatedText;

// An immutable value that is cheap to copy.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT: a text is one
      : body_(text.empty() ? nullptr : std::make_shared<Body>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT: as above

  std::string_view view() const {
    return body_ == nullptr ? std::string_view() : std::string_view(body_->text);
  }
  size_t size() const { return view().size(); }
  bool empty() const { return body_ == nullptr; }
  // Keeps the text of view() alive.
  std::shared_ptr<const void> owner() const { return body_; }

  bool operator==(const SharedText& other) const {
    return body_ == other.body_ || view() == other.view();
  }

 private:
  friend class DeflatedTexts;

  struct Body {
    explicit Body(std::string t) : text(std::move(t)) {}
    const std::string text;
    // The state that DeflatedTexts keeps here.
    std::atomic<bool> used = false;
    Mutex mutex;
    std::shared_ptr<const DeflatedText> deflated ABSL_GUARDED_BY(mutex);
  };
  std::shared_ptr<Body> body_;
};

}  // namespace steward

#endif  // BASE_SPLICE_SHARED_TEXT_H_
