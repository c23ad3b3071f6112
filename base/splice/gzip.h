// Compressed text by parts that can be put together later (RFC 1951, RFC 1952).
#ifndef BASE_SPLICE_GZIP_H_
#define BASE_SPLICE_GZIP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steward {

// `input` as a whole gzip file. `level`: zlib's, 1 (fastest) to 9 (smallest).
std::string Gzip(std::string_view input, int level);

// The pieces of a gzip stream. Between the header and the trailer stand any number of blocks, each
// complete in itself: it refers to nothing before it and ends at a whole byte.
void AppendGzipHeader(std::string& out);
// `input`, compressed. The compressor's 256 KiB belong to the thread and are used again.
void AppendDeflated(std::string_view input, int level, std::string& out);
// `input` as it stands: for what is too short to be worth compressing.
void AppendStored(std::string_view input, std::string& out);
// `crc` and `size` are those of all inputs.
void AppendGzipTrailer(uint32_t crc, uint64_t size, std::string& out);

// The CRC-32 of what `crc` was computed of, and then `input`.
uint32_t ExtendCrc(uint32_t crc, std::string_view input);
// The same when only the CRC of `input` is known, and its length as `CrcShift(length)`.
uint32_t CrcShift(size_t length);
uint32_t CombineCrc(uint32_t crc, uint32_t input_crc, uint32_t shift);

}  // namespace steward

#endif  // BASE_SPLICE_GZIP_H_
