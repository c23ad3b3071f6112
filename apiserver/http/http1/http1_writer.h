// A writer of one response in HTTP/1. Lives on the connection's executor.
#ifndef APISERVER_HTTP_HTTP1_HTTP1_WRITER_H_
#define APISERVER_HTTP_HTTP1_HTTP1_WRITER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"

namespace steward::http {

// The request's constraints on its response.
struct Http1Framing {
  bool head_request = false;
  bool knows_chunked = true;  // else a body of unknown length ends with the connection
  bool keep_alive = false;
};

// Keeps the small end of a response for Flush, so that no handler waits for the client to take it.
class Http1Writer final : public ResponseWriter {
 public:
  // `closing` is read when the head is written; if true, the head announces the connection's end.
  // The bytes kept for Flush count in `lease`. All references outlive the writer.
  Http1Writer(ByteStream& stream, const ConnectionEnv& env, const bool& closing,
              Http1Framing framing, MemoryBudget::Lease& lease);

  StatusTask WriteHead(ResponseHead head) override;
  StatusTask Write(std::vector<Segment> segments) override;
  StatusTask Finish() override;
  void Settled() override;
  int status() const override { return status_; }
  uint64_t bytes_written() const override { return written_; }

  // Sends the kept bytes, within Timeouts::finish. To be called when the handler has ended.
  VoidTask Flush();

  // True when the response was written whole and the connection can carry another one.
  bool reusable() const { return state_ == State::kDone && framing_.keep_alive; }
  // True when the response was written whole.
  bool complete() const { return state_ == State::kDone; }

 private:
  enum class State { kHead, kBody, kDone, kBroken };
  enum class Body { kNone, kLength, kChunked, kUntilClose };

  void ChooseBody(const ResponseHead& head);
  void FormatHead(const ResponseHead& head);
  StatusTask SendBody(std::span<const Segment> segments, uint64_t size);
  // Sends the held-back head, if any, and `pieces`.
  StatusTask Send(std::vector<std::string_view> pieces);
  absl::Status Misused(std::string_view what);

  ByteStream& stream_;
  const ConnectionEnv& env_;
  const bool& closing_;
  Http1Framing framing_;
  MemoryBudget::Lease& lease_;
  bool settled_ = false;  // a watch
  State state_ = State::kHead;
  Body body_ = Body::kNone;
  uint64_t remaining_ = 0;  // of Body::kLength
  int status_ = 0;
  uint64_t written_ = 0;
  std::string head_;  // formatted, not sent yet: a head with a known length is sent with the body
  std::vector<Segment> rest_;  // kept for Flush
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP1_HTTP1_WRITER_H_
