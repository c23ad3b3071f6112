// Decompression of gzip, for tests. Thread-safe.
#ifndef BASE_SPLICE_TESTING_GUNZIP_H_
#define BASE_SPLICE_TESTING_GUNZIP_H_

#include <optional>
#include <string>
#include <string_view>

namespace steward {

// Nullopt unless `input` is exactly one intact gzip member.
std::optional<std::string> Gunzip(std::string_view input);

}  // namespace steward

#endif  // BASE_SPLICE_TESTING_GUNZIP_H_
