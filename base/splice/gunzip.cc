#include "base/splice/gunzip.h"

#include <zlib.h>

namespace steward {

std::optional<std::string> Gunzip(std::string_view input, size_t limit) {
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = input.size();
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= limit) {
    char chunk[16 * 1024];
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof(chunk);
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk, sizeof(chunk) - stream.avail_out);
  }
  const bool intact = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!intact || out.size() > limit) return std::nullopt;
  return out;
}

}  // namespace steward
