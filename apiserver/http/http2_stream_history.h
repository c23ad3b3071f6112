// What became of a connection's last streams.
#ifndef APISERVER_HTTP_HTTP2_STREAM_HISTORY_H_
#define APISERVER_HTTP_HTTP2_STREAM_HISTORY_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace steward::http {

// Tells a header that comes too late from one that must not come (RFC 9113 sections 5.1 and 5.1.1).
// Remembers the last 64 streams; what is said of older ones is kLate.
class Http2StreamHistory {
 public:
  enum class Verdict {
    kLate,    // the client may not know yet that the stream has ended: to be ignored
    kEnded,   // the client itself has ended the stream: STREAM_CLOSED
    kUnused,  // the stream was passed over: PROTOCOL_ERROR
  };

  // The client's streams, in the order in which they are opened: each id is above the last.
  void Opened(int32_t id) {
    next_ = (next_ + 1) % kEntries;
    entries_[next_] = {id, false};
  }
  // The client sent END_STREAM or RST_STREAM.
  void EndedByClient(int32_t id) {
    for (Entry& entry : entries_) {
      if (entry.id == id) entry.ended = true;
    }
  }
  // Whether `id` is not above the last stream.
  bool IsPast(int32_t id) const { return id <= entries_[next_].id; }
  // Of a header for `id`, which is past and not open.
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
  size_t next_ = 0;  // the last
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_STREAM_HISTORY_H_
