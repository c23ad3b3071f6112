// Warnings to the user that accompany a response. Pure functions.
#ifndef APISERVER_REST_ENCODING_WARNINGS_H_
#define APISERVER_REST_ENCODING_WARNINGS_H_

#include <string>
#include <vector>

#include "apiserver/http/message/message.h"

namespace steward::rest {

// Adds a Warning field (code 299, RFC 7234 section 5.5) for each different text, which is printable
// ASCII; empty ones are left out. When they exceed 4 KiB together, each is cut to 256 bytes, and
// those that still exceed 4 KiB are dropped, as in Kubernetes.
void AddWarnings(const std::vector<std::string>& warnings, http::Headers& headers);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_WARNINGS_H_
