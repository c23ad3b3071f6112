// Warnings to the user beside an answer.
#ifndef APISERVER_REST_WARNINGS_H_
#define APISERVER_REST_WARNINGS_H_

#include <string>
#include <vector>

#include "apiserver/http/message.h"

namespace steward::rest {

// Adds a Warning field (code 299, RFC 7234 section 5.5) for each different text, which is printable
// ASCII; empty ones are left out. When together they exceed 4 KiB, each is cut to 256 bytes, and
// those beyond 4 KiB of what is left are dropped, as Kubernetes does.
void AddWarnings(const std::vector<std::string>& warnings, http::Headers& headers);

}  // namespace steward::rest

#endif  // APISERVER_REST_WARNINGS_H_
