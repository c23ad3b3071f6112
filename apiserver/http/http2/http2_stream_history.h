// The fate of a connection's last streams. Not thread-safe.
#ifndef APISERVER_HTTP_HTTP2_HTTP2_STREAM_HISTORY_H_
#define APISERVER_HTTP_HTTP2_HTTP2_STREAM_HISTORY_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace steward::http {

// Distinguishes a header that is merely late from one that violates the protocol (RFC 9113 sections
// 5.1 and 5.1.1). Remembers the last 64 streams; older ones are always kLate.
class Http2StreamHistory {
 public:
  enum class Verdict {
    kLate,    // the client may not know yet that the stream has ended: ignore it
    kEnded,   // the client itself has ended the stream: STREAM_CLOSED
    kUnused,  // the stream was skipped: PROTOCOL_ERROR
  };

  // Must be called for each stream of the client in the order of opening: each id is higher than
  // the last.
  void Opened(int32_t id) {
    next_ = (next_ + 1) % kEntries;
    entries_[next_] = {id, false};
  }
  // Must be called when the client has sent END_STREAM or RST_STREAM.
  void EndedByClient(int32_t id) {
    for (Entry& entry : entries_) {
      if (entry.id == id) entry.ended = true;
    }
  }
  // True when `id` is not higher than that of the last stream.
  bool IsPast(int32_t id) const { return id <= entries_[next_].id; }
  // The verdict on a header for `id`, which is past and not open.
  Verdict Judge(int32_t id) const {
    bool older = true;
    for (const Entry& entry : entries_) {
      if (entry.id == id) return entry.ended ? Verdict::kEnded : Verdict::kLate;
      if (entry.id < id) older = false;
    }
    return older ? Verdict::kLate : Verdict::kUnused;
  }

 private:
  static constexpr size_t kEntries = 64;
  struct Entry {
    int32_t id = 0;  // 0 = none
    bool ended = false;
  };

  std::array<Entry, kEntries> entries_ = {};
  size_t next_ = 0;  // the index of the last entry
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_HTTP2_STREAM_HISTORY_H_
