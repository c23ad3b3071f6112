// Errors that are answered before a handler exists. Values and pure functions.
#ifndef APISERVER_HTTP_CONNECTION_HTTP_ERROR_H_
#define APISERVER_HTTP_CONNECTION_HTTP_ERROR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "apiserver/http/limits/options.h"

namespace steward::http {

// An error that is answered with a Status body.
struct HttpError {
  int code = 0;
  std::string_view reason;  // static; "" = Kubernetes has none
  std::string message;
};

HttpError RequestMemoryExhausted();
HttpError HeaderTooLarge(const Limits& limits);
HttpError TargetTooLong(const Limits& limits);
HttpError BodyTooLarge(size_t max_bytes);

// The error as RequestBody::Read returns it.
absl::Status ToStatus(const HttpError& error);

// The memory of one header field or query parameter besides its characters: an entry of a vector,
// which may be half empty, and the heap blocks of two strings. Counted against the memory of
// requests.
inline constexpr size_t kFieldMemory = 160;

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_HTTP_ERROR_H_
