// Digests of short texts, at little cost for each. Thread-safe.
#ifndef BASE_DIGEST_DIGEST_H_
#define BASE_DIGEST_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace steward {

// The digest of all `pieces`, one after the other. OpenSSL's one-call functions look the algorithm
// up each time, which costs more than hashing a short text; these functions look it up once in each
// thread.
std::array<uint8_t, 20> Sha1(std::initializer_list<std::string_view> pieces);  // for identifiers
std::string Sha256(std::string_view bytes);                                    // 32 bytes

}  // namespace steward

#endif  // BASE_DIGEST_DIGEST_H_
