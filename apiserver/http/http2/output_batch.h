// The bytes that one turn of an HTTP/2 connection sends: copied frame headers and control frames
// between borrowed body bytes. Not thread-safe.
#ifndef APISERVER_HTTP_HTTP2_OUTPUT_BATCH_H_
#define APISERVER_HTTP_HTTP2_OUTPUT_BATCH_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steward::http {

class OutputBatch {
 public:
  void Copy(std::string_view bytes) {
    size_ += bytes.size();
    if (!entries_.empty() && entries_.back().data == nullptr) {
      entries_.back().size += bytes.size();
    } else {
      entries_.push_back({nullptr, bytes.size()});
    }
    copied_.append(bytes);
  }

  // `owner` keeps the bytes alive until Clear.
  void Borrow(std::string_view bytes, const std::shared_ptr<const void>& owner) {
    size_ += bytes.size();
    entries_.push_back({bytes.data(), bytes.size()});
    if (owner != nullptr && (owners_.empty() || owners_.back() != owner)) owners_.push_back(owner);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The pieces in order. Valid until the batch changes.
  std::span<const std::string_view> Pieces() {
    pieces_.clear();
    size_t copied = 0;
    for (const Entry& entry : entries_) {
      if (entry.data != nullptr) {
        pieces_.emplace_back(entry.data, entry.size);
      } else {
        pieces_.push_back(std::string_view(copied_).substr(copied, entry.size));
        copied += entry.size;
      }
    }
    return pieces_;
  }

  // Empties the batch but keeps its buffers for the next turn.
  void Clear() {
    size_ = 0;
    entries_.clear();
    copied_.clear();
    owners_.clear();
    pieces_.clear();
  }

 private:
  struct Entry {
    const char* data;  // null: the next `size` bytes of copied_
    size_t size;
  };
  size_t size_ = 0;
  std::vector<Entry> entries_;
  std::string copied_;
  std::vector<std::shared_ptr<const void>> owners_;
  std::vector<std::string_view> pieces_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_OUTPUT_BATCH_H_
