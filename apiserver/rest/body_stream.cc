#include "apiserver/rest/body_stream.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::rest {
namespace {

constexpr int kFastest = 1;

std::vector<http::Segment> OneSegment(std::string bytes) {
  std::vector<http::Segment> segments;
  segments.push_back(http::OwnedSegment(std::move(bytes)));
  return segments;
}

}  // namespace

bool AcceptsGzip(const http::Request& request) {
  const std::string* header = request.headers.Find("Accept-Encoding");
  std::string_view rest = header == nullptr ? std::string_view() : *header;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (ToStd(absl::StripAsciiWhitespace(ToAbsl(rest.substr(0, comma)))) == "gzip") return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return false;
}

BodyStream::BodyStream(http::ResponseWriter& writer, http::ResponseHead head, bool gzip)
    : writer_(writer),
      head_(std::move(head)),
      gzip_(gzip),
      limit_(gzip ? kGzipThreshold + 1 : kChunk) {}

void BodyStream::Decide() {
  limit_ = kChunk;
  if (!gzip_ || buffer_.size() <= kGzipThreshold) return;
  compressor_.emplace(kFastest);
  head_.headers.Set("Content-Encoding", "gzip");
  head_.headers.Add("Vary", "Accept-Encoding");
}

std::string BodyStream::TakeChunk(bool last) {
  std::string chunk;
  if (!compressor_) {
    chunk.swap(buffer_);
    return chunk;
  }
  compressor_->Write(buffer_, chunk);
  if (last) compressor_->Finish(chunk);
  buffer_.clear();
  return chunk;
}

StatusTask BodyStream::Flush() {
  if (!head_sent_) {
    Decide();
    head_sent_ = true;
    CO_RETURN_IF_ERROR(co_await writer_.WriteHead(std::move(head_)));
  }
  std::string chunk = TakeChunk(/*last=*/false);
  if (chunk.empty()) co_return absl::OkStatus();
  // One item may be larger than a chunk; the next buffer is likely to be as large as this one.
  buffer_.reserve(limit_);
  co_return co_await writer_.Write(OneSegment(std::move(chunk)));
}

StatusTask BodyStream::Finish() {
  if (!head_sent_) Decide();
  std::string chunk = TakeChunk(/*last=*/true);
  if (!head_sent_) {
    head_sent_ = true;
    head_.content_length = chunk.size();
    CO_RETURN_IF_ERROR(co_await writer_.WriteHead(std::move(head_)));
  }
  if (!chunk.empty()) {
    CO_RETURN_IF_ERROR(co_await writer_.Write(OneSegment(std::move(chunk))));
  }
  co_return co_await writer_.Finish();
}

}  // namespace steward::rest
