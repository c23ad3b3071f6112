// A decoder for the body of a watch: one JSON object {"type":..,"object":..} per line. Not
// thread-safe.
#ifndef KUBE_CLIENT_WATCH_FRAME_READER_H_
#define KUBE_CLIENT_WATCH_FRAME_READER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/client/client.h"

namespace steward::kube {

// The caller appends the stream's bytes as they come, and takes the events. The reader holds at
// most one unfinished frame and the bytes appended last: drain it with Next before appending more.
class WatchFrameReader {
 public:
  // Higher than kube-apiserver's own limits of an object (3 MiB by request, 1.5 MiB in etcd).
  static constexpr size_t kMaxFrameBytes = 16 << 20;

  explicit WatchFrameReader(size_t max_frame_bytes = kMaxFrameBytes);
  ~WatchFrameReader();
  WatchFrameReader(const WatchFrameReader&) = delete;
  WatchFrameReader& operator=(const WatchFrameReader&) = delete;

  // The buffer to append the stream's next bytes to.
  std::string& buffer() { return buffer_; }

  // The next whole event; nullopt when more bytes are needed. The event's object owns a copy of the
  // frame, with padding. Errors end the stream:
  //  - an ERROR event: the Status it carries (kube/meta/status.h);
  //  - kDataLoss: an undecodable or oversized frame, an unknown event type, an object without
  //    metadata.resourceVersion.
  absl::StatusOr<std::optional<WatchEvent>> Next();

  // OK when the stream may end here; kDataLoss inside a frame.
  absl::Status Finish() const;

 private:
  struct Decoder;

  const size_t max_frame_bytes_;
  std::string buffer_;
  size_t begin_ = 0;    // of the first frame not yet taken
  size_t scanned_ = 0;  // no line end lies in [begin_, scanned_)
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_WATCH_FRAME_READER_H_
