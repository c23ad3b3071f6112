// SHA-256.
#ifndef APISERVER_FILTERS_DIGEST_H_
#define APISERVER_FILTERS_DIGEST_H_

#include <string>
#include <string_view>

namespace steward::filters {

// The 32 bytes of the digest.
std::string Sha256(std::string_view bytes);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_DIGEST_H_
