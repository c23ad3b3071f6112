// Decompression of gzip (RFC 1952). Thread-safe.
#ifndef BASE_SPLICE_GUNZIP_H_
#define BASE_SPLICE_GUNZIP_H_

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace steward {

// Nullopt unless `input` is exactly one intact gzip member that holds at most `limit` bytes.
std::optional<std::string> Gunzip(std::string_view input,
                                  size_t limit = std::numeric_limits<size_t>::max());

}  // namespace steward

#endif  // BASE_SPLICE_GUNZIP_H_
