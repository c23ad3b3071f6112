#include "base/splice/gzip_rope.h"

#include <utility>

#include "base/splice/gzip.h"

namespace steward {
namespace {

// Text that only this answer contains cannot be reused, so it is compressed quickly. Below
// kWorthCompressing bytes, compression costs more than it saves.
constexpr int kFastest = 1;
constexpr size_t kWorthCompressing = 2048;
constexpr size_t kHeaderAndTrailer = 20;

size_t CountSplices(const Rope& rope) {
  size_t count = 0;
  rope.ForEach([](std::string_view) {}, [&](const SharedText&) { ++count; });
  return count;
}

}  // namespace

SplicedBytes TakeBytes(Rope& rope) {
  SplicedBytes bytes;
  bytes.splices.reserve(CountSplices(rope));
  size_t copied = 0;
  rope.ForEach([&](std::string_view piece) { copied += piece.size(); },
               [&](const SharedText& shared) {
                 bytes.splices.push_back({copied, shared.view(), shared.owner()});
               });
  bytes.own = std::move(rope.text());
  rope.Clear();
  return bytes;
}

void GzipRope::AppendText(std::string_view text, std::string& out) {
  crc_ = ExtendCrc(crc_, text);
  if (text.size() < kWorthCompressing) {
    AppendStored(text, out);
  } else {
    AppendDeflated(text, kFastest, out);
  }
}

SplicedBytes GzipRope::Append(const Rope& input) {
  SplicedBytes out;
  const size_t splices = CountSplices(input);
  out.splices.reserve(splices);
  // Assume that the text between splices is stored, each piece with a header of five bytes.
  out.own.reserve(input.text_size() + 5 * (splices + 1) + kHeaderAndTrailer);
  if (!std::exchange(begun_, true)) AppendGzipHeader(out.own);
  size_ += input.size();
  input.ForEach([&](std::string_view piece) { AppendText(piece, out.own); },
                [&](const SharedText& shared) {
                  DeflatedTextPtr form = texts_.Get(shared);
                  crc_ = CombineCrc(crc_, form->crc, form->crc_shift);
                  const std::string_view bytes = form->bytes;
                  out.splices.push_back({out.own.size(), bytes, std::move(form)});
                });
  return out;
}

void GzipRope::Finish(SplicedBytes& bytes) {
  if (!std::exchange(begun_, true)) AppendGzipHeader(bytes.own);
  AppendGzipTrailer(crc_, size_, bytes.own);
}

}  // namespace steward
