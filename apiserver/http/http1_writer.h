// Writes one response in HTTP/1.
#ifndef APISERVER_HTTP_HTTP1_WRITER_H_
#define APISERVER_HTTP_HTTP1_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/http/date.h"
#include "apiserver/http/memory_budget.h"
#include "apiserver/http/message.h"
#include "apiserver/http/options.h"
#include "apiserver/http/stream.h"
#include "base/async/task.h"

namespace steward::http {

// How the request constrains its response.
struct Http1Framing {
  bool head_request = false;
  bool knows_chunked = true;  // else a body of unknown length ends with the connection
  bool keep_alive = false;
};

// The end of a response, when it is small, is kept back for Flush: no handler waits until a client
// takes it.
class Http1Writer final : public ResponseWriter {
 public:
  // `closing`: read when the head is written; true = say that the connection ends. `lease` bears
  // what is kept back. `request`: may be null. All outlive the writer.
  Http1Writer(ByteStream& stream, const Timeouts& timeouts, HttpDate& date, const bool& closing,
              Http1Framing framing, MemoryBudget::Lease& lease, const Request* request);

  StatusTask WriteHead(ResponseHead head) override;
  StatusTask Write(std::vector<Segment> segments) override;
  StatusTask Finish() override;
  int status() const override { return status_; }
  uint64_t bytes_written() const override { return written_; }

  // Sends what was kept back, within Timeouts::finish. To be called when the handler has ended.
  VoidTask Flush();

  // Whether the response was sent whole and the connection can carry another one.
  bool reusable() const { return state_ == State::kDone && framing_.keep_alive; }
  // Whether anything is left to be sent for a whole response.
  bool complete() const { return state_ == State::kDone; }

 private:
  enum class State { kHead, kBody, kDone, kBroken };
  enum class Body { kNone, kLength, kChunked, kUntilClose };

  void ChooseBody(const ResponseHead& head);
  void FormatHead(const ResponseHead& head);
  // Sends the held-back head, if any, and `pieces`.
  StatusTask Send(std::vector<std::string_view> pieces);
  absl::Status Misused(std::string_view what);

  ByteStream& stream_;
  const Timeouts& timeouts_;
  HttpDate& date_;
  const bool& closing_;
  Http1Framing framing_;
  MemoryBudget::Lease& lease_;
  const Request* const request_;
  State state_ = State::kHead;
  Body body_ = Body::kNone;
  uint64_t remaining_ = 0;  // of Body::kLength
  int status_ = 0;
  uint64_t written_ = 0;
  std::string head_;  // formatted, not sent yet: a head with a known length goes out with the body
  std::vector<Segment> rest_;  // kept back
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP1_WRITER_H_
