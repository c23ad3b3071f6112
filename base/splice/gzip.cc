#include "base/splice/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace steward {
namespace {

constexpr int kRawWindow = -MAX_WBITS;  // negative asks for no header at all
constexpr size_t kLongestStored = 65535;

// A raw deflate compressor, ready to begin.
class Deflater {
 public:
  explicit Deflater(int level) {
    // With these arguments, only a lack of memory can make it fail.
    if (deflateInit2(&stream_, level, Z_DEFLATED, kRawWindow, /*memLevel=*/8, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void Append(std::string_view input, std::string& out) {
    deflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    do {
      const size_t before = out.size();
      const size_t room = std::max<size_t>(1024, stream_.avail_in / 2);
      out.resize(before + room);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream_.avail_out = static_cast<uInt>(room);
      deflate(&stream_, Z_FULL_FLUSH);
      out.resize(out.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_ = {};
};

Deflater& ThreadsDeflater(int level) {
  thread_local std::array<std::unique_ptr<Deflater>, Z_BEST_COMPRESSION + 1> deflaters;
  std::unique_ptr<Deflater>& deflater = deflaters[static_cast<size_t>(level)];
  if (deflater == nullptr) deflater = std::make_unique<Deflater>(level);
  return *deflater;
}

void AppendLittleEndian(uint64_t value, size_t bytes, std::string& out) {
  char text[sizeof(value)];
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>((value >> (8 * i)) & 0xff);
  out.append(text, bytes);
}

}  // namespace

std::string Gzip(std::string_view input, int level) {
  std::string out;
  AppendGzipHeader(out);
  if (!input.empty()) AppendDeflated(input, level, out);
  AppendGzipTrailer(ExtendCrc(0, input), input.size(), out);
  return out;
}

void AppendGzipHeader(std::string& out) {
  // Deflate, no flags, no time, no extra flags, unknown system.
  out.append("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
}

void AppendDeflated(std::string_view input, int level, std::string& out) {
  // zlib counts in 32 bits, so pass it smaller pieces.
  constexpr size_t kStep = size_t{1} << 30;
  for (; !input.empty(); input.remove_prefix(std::min(input.size(), kStep))) {
    ThreadsDeflater(level).Append(input.substr(0, kStep), out);
  }
}

void AppendStored(std::string_view input, std::string& out) {
  for (; !input.empty(); input.remove_prefix(std::min(input.size(), kLongestStored))) {
    const std::string_view block = input.substr(0, kLongestStored);
    out.push_back('\0');  // not the last block, stored
    AppendLittleEndian(block.size(), 2, out);
    AppendLittleEndian(~block.size(), 2, out);
    out += block;
  }
}

void AppendGzipTrailer(uint32_t crc, uint64_t size, std::string& out) {
  out.append("\x03\x00", 2);  // the last block, empty
  AppendLittleEndian(crc, 4, out);
  AppendLittleEndian(size, 4, out);
}

uint32_t ExtendCrc(uint32_t crc, std::string_view input) {
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(input.data()), input.size()));
}

uint32_t CrcShift(size_t length) {
  return static_cast<uint32_t>(crc32_combine_gen(static_cast<z_off_t>(length)));
}

uint32_t CombineCrc(uint32_t crc, uint32_t input_crc, uint32_t shift) {
  return static_cast<uint32_t>(crc32_combine_op(crc, input_crc, shift));
}

}  // namespace steward
