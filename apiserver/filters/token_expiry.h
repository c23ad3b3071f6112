// When a bearer token ends.
#ifndef APISERVER_FILTERS_TOKEN_EXPIRY_H_
#define APISERVER_FILTERS_TOKEN_EXPIRY_H_

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace steward::filters {

// The claim "exp" of a JSON Web Token (RFC 7519 4.1.4), as ServiceAccounts' tokens are; nullopt:
// the token is no such, or has none. Nothing is verified: what it says counts only of a token that
// a TokenReview has found good.
std::optional<absl::Time> TokenExpiry(std::string_view token);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_TOKEN_EXPIRY_H_
