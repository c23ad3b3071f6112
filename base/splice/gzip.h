// Compression in parts that can be joined later (RFC 1951, RFC 1952). Thread-safe.
#ifndef BASE_SPLICE_GZIP_H_
#define BASE_SPLICE_GZIP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steward {

// Returns `input` as a whole gzip file. `level` is zlib's, 1 (fastest) to 9 (smallest).
std::string Gzip(std::string_view input, int level);

// Pieces of a gzip stream: a header, any number of blocks, a trailer. Each block is complete in
// itself: it refers to no bytes before it, and ends at a whole byte.
void AppendGzipHeader(std::string& out);
// Appends `input`, compressed. Each calling thread keeps the compressor's 256 KiB for its next
// call.
void AppendDeflated(std::string_view input, int level, std::string& out);
// Appends `input` uncompressed, for texts too short to be worth compressing.
void AppendStored(std::string_view input, std::string& out);
// `crc` and `size` are those of all inputs together.
void AppendGzipTrailer(uint32_t crc, uint64_t size, std::string& out);

// The CRC-32 of some data followed by `input`, where `crc` is that of the data.
uint32_t ExtendCrc(uint32_t crc, std::string_view input);
// Returns the CRC-32 of some data (`crc`) followed by an input (`input_crc` is that of the input
// alone, `shift` is CrcShift of its length).
uint32_t CrcShift(size_t length);
uint32_t CombineCrc(uint32_t crc, uint32_t input_crc, uint32_t shift);

}  // namespace steward

#endif  // BASE_SPLICE_GZIP_H_
