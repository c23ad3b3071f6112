// The expiry of a bearer token. Pure functions.
#ifndef APISERVER_FILTERS_AUTHENTICATION_TOKEN_EXPIRY_H_
#define APISERVER_FILTERS_AUTHENTICATION_TOKEN_EXPIRY_H_

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace steward::filters {

// The claim "exp" of a JSON Web Token (RFC 7519 4.1.4), the form of ServiceAccounts' tokens;
// nullopt: the token is no JSON Web Token, or lacks the claim. Verifies nothing, so the result is
// reliable only for a token that a TokenReview has accepted.
std::optional<absl::Time> TokenExpiry(std::string_view token);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_TOKEN_EXPIRY_H_
