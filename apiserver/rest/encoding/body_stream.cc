#include "apiserver/rest/encoding/body_stream.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::rest {
namespace {

// Shorter bodies are not worth the client's effort to decompress.
constexpr size_t kSmallest = 1024;

// True if `texts` keeps compressed forms of at least half of `buffer`.
bool AtHand(const Rope& buffer, const DeflatedTexts& texts) {
  size_t found = 0;
  buffer.ForEach([](std::string_view) {},
                 [&](const SharedText& shared) {
                   if (texts.Find(shared) != nullptr) found += shared.size();
                 });
  return found >= buffer.size() / 2;
}

size_t SizeOf(const SplicedBytes& bytes) {
  size_t size = bytes.own.size();
  for (const SplicedBytes::Splice& splice : bytes.splices) size += splice.bytes.size();
  return size;
}

// Matches net/http's own name, or that of client-go: "kubectl/v1.36.0 (linux/amd64)
// kubernetes/0123456".
bool IsGoClient(const http::Request& request) {
  const std::string* agent = request.headers.Find("User-Agent");
  if (agent == nullptr) return false;
  return agent->starts_with("Go-http-client/") || agent->find(") kubernetes/") != std::string::npos;
}

}  // namespace

bool AcceptsGzip(const http::Request& request) {
  const std::string* header = request.headers.Find("Accept-Encoding");
  if (request.front_proxy && header != nullptr && *header == "gzip" && !IsGoClient(request)) {
    return false;
  }
  std::string_view rest = header == nullptr ? std::string_view() : *header;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (ToStd(absl::StripAsciiWhitespace(ToAbsl(rest.substr(0, comma)))) == "gzip") return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return false;
}

std::vector<http::Segment> ToSegments(SplicedBytes bytes) {
  std::vector<http::Segment> segments;
  segments.reserve(2 * bytes.splices.size() + 1);
  const auto own = std::make_shared<const std::string>(std::move(bytes.own));
  const std::string_view text = *own;
  size_t begin = 0;
  const auto add_own = [&](size_t end) {
    if (end > begin) segments.push_back({text.substr(begin, end - begin), own});
    begin = end;
  };
  for (SplicedBytes::Splice& splice : bytes.splices) {
    add_own(splice.at);
    segments.push_back({splice.bytes, std::move(splice.owner), /*shared=*/true});
  }
  add_own(text.size());
  return segments;
}

bool IsFull(const Rope& buffer) {
  return buffer.text_size() >= BodyStream::kChunk || buffer.size() >= BodyStream::kSplicedChunk;
}

BodyStream::BodyStream(http::ResponseWriter& writer, http::ResponseHead head, DeflatedTexts* gzip)
    : writer_(writer), head_(std::move(head)), gzip_(gzip) {}

bool BodyStream::full() const {
  // Compression is decided when the threshold is reached or the body is known to be short.
  const bool undecided = gzip_ != nullptr && !head_sent_;
  return undecided ? buffer_.size() > kGzipThreshold : IsFull(buffer_);
}

void BodyStream::Decide() {
  if (gzip_ == nullptr) return;
  const bool long_enough = buffer_.size() > kGzipThreshold;
  if (!long_enough && (buffer_.size() < kSmallest || !AtHand(buffer_, *gzip_))) return;
  compressor_.emplace(*gzip_);
  head_.headers.Set("Content-Encoding", "gzip");
  head_.headers.Add("Vary", "Accept-Encoding");
}

SplicedBytes BodyStream::TakeChunk(bool last) {
  if (!compressor_) return TakeBytes(buffer_);
  SplicedBytes chunk = compressor_->Append(buffer_);
  if (last) compressor_->Finish(chunk);
  buffer_.Clear();
  return chunk;
}

StatusTask BodyStream::Flush() {
  if (!head_sent_) {
    Decide();
    head_sent_ = true;
    CO_RETURN_IF_ERROR(co_await writer_.WriteHead(std::move(head_)));
  }
  SplicedBytes chunk = TakeChunk(/*last=*/false);
  if (SizeOf(chunk) == 0) co_return absl::OkStatus();
  co_return co_await writer_.Write(ToSegments(std::move(chunk)));
}

StatusTask BodyStream::Finish() {
  if (!head_sent_) Decide();
  SplicedBytes chunk = TakeChunk(/*last=*/true);
  const size_t size = SizeOf(chunk);
  if (!head_sent_) {
    head_sent_ = true;
    head_.content_length = size;
    CO_RETURN_IF_ERROR(co_await writer_.WriteHead(std::move(head_)));
  }
  if (size > 0) CO_RETURN_IF_ERROR(co_await writer_.Write(ToSegments(std::move(chunk))));
  co_return co_await writer_.Finish();
}

}  // namespace steward::rest
