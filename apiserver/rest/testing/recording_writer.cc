#include "apiserver/rest/testing/recording_writer.h"

#include <utility>

namespace steward::rest {

absl::Status RecordingWriter::Call(bool in_order, std::string_view what) {
  if (!in_order && misuse_.empty()) misuse_ = what;
  if (fail_from_ && calls_++ >= *fail_from_) return absl::CancelledError("the client is gone");
  return absl::OkStatus();
}

StatusTask RecordingWriter::WriteHead(http::ResponseHead head) {
  absl::Status status = Call(!head_ && !finished_, "WriteHead out of order");
  if (status.ok() && head.websocket && !refusal_.ok()) co_return refusal_;
  if (status.ok()) head_ = std::move(head);
  co_return status;
}

StatusTask RecordingWriter::Write(std::vector<http::Segment> segments) {
  absl::Status status = Call(head_ && !finished_, "Write out of order");
  if (!status.ok()) co_return status;
  size_t bytes = 0;
  for (const http::Segment& segment : segments) {
    body_ += segment.bytes;
    bytes += segment.bytes.size();
  }
  writes_.push_back(bytes);
  co_return status;
}

StatusTask RecordingWriter::Finish() {
  absl::Status status = Call(head_ && !finished_, "Finish out of order");
  if (!status.ok()) co_return status;
  finished_ = true;
  if (head_->content_length && *head_->content_length != body_.size() && misuse_.empty()) {
    misuse_ = "the body is not as long as promised";
  }
  co_return status;
}

std::string RecordingWriter::Header(std::string_view name) const {
  const std::string* value = head_ ? head_->headers.Find(name) : nullptr;
  return value == nullptr ? "" : *value;
}

}  // namespace steward::rest
