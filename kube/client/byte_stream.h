// The interface of connections to the API server, with or without TLS. Each lives on its executor.
#ifndef KUBE_CLIENT_BYTE_STREAM_H_
#define KUBE_CLIENT_BYTE_STREAM_H_

#include <span>
#include <string_view>

#include "base/async/task.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

// A connected two-way stream, for one read and one write at a time. Destroying it closes the
// connection at once. Errors are kUnavailable.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Reads at least one byte; returns 0 when the peer ended the stream in order.
  virtual Task<size_t> ReadSome(std::span<char> buffer) = 0;
  // Writes all of `bytes`, which must stay until the task ends, in pieces. `may_send` is called
  // when there is room for a piece, right before the piece is sent: its error ends the write, and
  // is returned.
  virtual StatusTask Write(std::string_view bytes, const SendCheck& may_send) = 0;

  // With true: from now on the connection's end, by destruction or by the death of the process, is
  // a reset, and the kernel drops everything that it has not delivered by then. With false, the end
  // is orderly again.
  virtual void ResetAtEnd(bool reset) = 0;

  // To be called between two exchanges: false when unrequested bytes or the stream's end have
  // arrived.
  virtual bool IsQuiet() = 0;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_BYTE_STREAM_H_
