// Which fields of a response head are sent, the same for both protocols.
#ifndef APISERVER_HTTP_RESPONSE_FIELDS_H_
#define APISERVER_HTTP_RESPONSE_FIELDS_H_

#include <string>
#include <string_view>

#include "apiserver/http/message.h"

namespace steward::http {

// True for fields that are the connection's business and never copied from a ResponseHead:
// Connection and its like, and Content-Length.
bool IsConnectionField(std::string_view name);

// True when `name` is a token (RFC 9110 section 5.1).
bool IsFieldName(std::string_view name);

// `value` with every control character replaced by a space: a value from elsewhere must not begin a
// new line.
std::string CleanFieldValue(std::string_view value);
bool IsCleanFieldValue(std::string_view value);

// Whether the handler asked for the connection's end: "Connection: close".
bool AsksForClose(const Headers& headers);

// False for statuses that never have a body: 1xx, 204, 304.
bool StatusAllowsBody(int status);

// Calls emit(std::string_view name, std::string_view value) for each field to be sent, except Date
// and Content-Length.
template <typename Emit>
void ForEachSentField(const Headers& headers, Emit emit) {
  for (const auto& [name, value] : headers.fields()) {
    if (IsConnectionField(name) || !IsFieldName(name)) continue;
    if (IsCleanFieldValue(value)) {
      emit(std::string_view(name), std::string_view(value));
    } else {
      const std::string clean = CleanFieldValue(value);
      emit(std::string_view(name), std::string_view(clean));
    }
  }
}

}  // namespace steward::http

#endif  // APISERVER_HTTP_RESPONSE_FIELDS_H_
