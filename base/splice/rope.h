// Text that grows at its end, partly copied and partly shared. Not thread-safe.
#ifndef BASE_SPLICE_ROPE_H_
#define BASE_SPLICE_ROPE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/splice/shared_text.h"

namespace steward {

class Rope {
 public:
  // The rope's end, for appending. Spliced text is not part of it.
  std::string& text() { return text_; }

  // Appends `shared` without copying it, unless it is so short that copying is cheaper.
  void Splice(const SharedText& shared) {
    if (shared.size() < kWorthSharing) {
      text_ += shared.view();
      return;
    }
    splices_.push_back({text_.size(), shared});
    spliced_bytes_ += shared.size();
  }

  size_t size() const { return text_.size() + spliced_bytes_; }
  size_t text_size() const { return text_.size(); }
  bool empty() const { return size() == 0; }
  bool has_splices() const { return !splices_.empty(); }

  // Empties the rope but keeps its buffers.
  void Clear() {
    text_.clear();
    splices_.clear();
    spliced_bytes_ = 0;
  }

  // Calls `copied(std::string_view)` for pieces in the rope, and `spliced(const SharedText&)` for
  // shared ones, in order. Empty pieces are left out.
  template <typename Copied, typename Spliced>
  void ForEach(Copied copied, Spliced spliced) const {
    size_t begin = 0;
    const std::string_view text = text_;
    for (const Entry& entry : splices_) {
      if (entry.at > begin) copied(text.substr(begin, entry.at - begin));
      begin = entry.at;
      spliced(entry.shared);
    }
    if (text.size() > begin) copied(text.substr(begin));
  }

  void AppendTo(std::string& out) const {
    out.reserve(out.size() + size());
    ForEach([&](std::string_view piece) { out += piece; },
            [&](const SharedText& shared) { out += shared.view(); });
  }
  std::string Flatten() const {
    std::string whole;
    AppendTo(whole);
    return whole;
  }

 private:
  static constexpr size_t kWorthSharing = 512;

  struct Entry {
    size_t at;  // in text_
    SharedText shared;
  };
  std::string text_;
  std::vector<Entry> splices_;
  size_t spliced_bytes_ = 0;
};

}  // namespace steward

#endif  // BASE_SPLICE_ROPE_H_
