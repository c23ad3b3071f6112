// A connection's bytes, whatever carries them: TLS over TCP, or memory in tests.
#ifndef APISERVER_HTTP_STREAM_H_
#define APISERVER_HTTP_STREAM_H_

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"

namespace steward::http {

// On one executor. At most one Read and one Write at a time; the two may overlap.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // The next bytes, or an empty view at the peer's end of stream. They stay valid only until the
  // caller next waits: the buffer belongs to the thread, so that an idle connection holds none.
  virtual Task<std::string_view> Read() = 0;

  // Writes all pieces in order. What they point to must stay until this returns. An error when the
  // peer is gone, or takes them too slowly (see DrainDeadline).
  virtual StatusTask Write(std::span<const std::string_view> pieces) = 0;

  // The window of that rule, for each Write that begins later.
  virtual void SetWriteWindow(absl::Duration window) = 0;

  // Ends the stream so that the peer can still read what was written, waiting a little for it.
  // Nothing may follow.
  virtual VoidTask Shutdown() = 0;

  // Ends it at once: pending and later calls fail.
  virtual void Abort() = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_STREAM_H_
