// A ResponseWriter that records the response. Not thread-safe.
#ifndef APISERVER_REST_TESTING_RECORDING_WRITER_H_
#define APISERVER_REST_TESTING_RECORDING_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"

namespace steward::rest {

// Checks the order of calls: misuse() reports a call out of order, or a body that does not have the
// announced length.
class RecordingWriter : public http::ResponseWriter {
 public:
  StatusTask WriteHead(http::ResponseHead head) override;
  StatusTask Write(std::vector<http::Segment> segments) override;
  StatusTask Finish() override;
  void Settled() override { settled_ = true; }
  int status() const override { return head_ ? head_->status : 0; }
  uint64_t bytes_written() const override { return body_.size(); }

  // From the n-th call (0 = the first) on, every call fails as if the client were gone.
  void FailFrom(int call) { fail_from_ = call; }

  // Makes WriteHead refuse WebSockets with `error`.
  void RefuseWebSockets(absl::Status error) { refusal_ = std::move(error); }

  const http::ResponseHead& head() const { return *head_; }
  // The first value of a header, "" when absent.
  std::string Header(std::string_view name) const;
  const std::string& body() const { return body_; }
  // The number of bytes of each Write.
  const std::vector<size_t>& writes() const { return writes_; }
  bool finished() const { return finished_; }
  bool settled() const { return settled_; }
  const std::string& misuse() const { return misuse_; }

 private:
  absl::Status Call(bool in_order, std::string_view what);

  std::optional<http::ResponseHead> head_;
  std::string body_;
  std::vector<size_t> writes_;
  bool finished_ = false;
  bool settled_ = false;
  int calls_ = 0;
  std::optional<int> fail_from_;
  absl::Status refusal_;
  std::string misuse_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_TESTING_RECORDING_WRITER_H_
