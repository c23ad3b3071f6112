// A connection's byte stream over any transport: TLS or plain TCP, or memory in tests. Lives on one
// executor.
#ifndef APISERVER_HTTP_CONNECTION_STREAM_H_
#define APISERVER_HTTP_CONNECTION_STREAM_H_

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "apiserver/http/limits/options.h"
#include "base/async/task.h"

namespace steward::http {

// At most one Read and one Write at a time; the two may overlap.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Returns the next bytes, or an empty view at the peer's end of stream. The bytes are valid only
  // until the caller next waits, because they lie in a buffer of the thread: so an idle connection
  // needs no buffer.
  virtual Task<std::string_view> Read() = 0;

  // Writes all pieces in order. Their bytes must stay until this returns. Fails when the peer is
  // gone, or takes them too slowly (see DrainDeadline).
  virtual StatusTask Write(std::span<const std::string_view> pieces) = 0;

  // Sets the pace of each Write that begins after this call.
  virtual void SetPace(Pace pace) = 0;

  // Ends the stream so that the peer can still read the written bytes, waiting a little for it. No
  // call may follow.
  virtual VoidTask Shutdown() = 0;

  // Ends the stream at once: pending and later calls fail.
  virtual void Abort() = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_STREAM_H_
