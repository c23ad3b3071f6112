// The selection of response fields that are sent, common to both protocols. Pure functions.
#ifndef APISERVER_HTTP_MESSAGE_RESPONSE_FIELDS_H_
#define APISERVER_HTTP_MESSAGE_RESPONSE_FIELDS_H_

#include <forward_list>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/http/message/message.h"

namespace steward::http {

// True for fields that the connection sets and that are never copied from a ResponseHead:
// Connection and the like, and Content-Length.
bool IsConnectionField(std::string_view name);

// True when `name` is a token (RFC 9110 section 5.1).
bool IsFieldName(std::string_view name);

// `value` with every control character replaced by a space, because a value from outside must not
// begin a new line.
std::string CleanFieldValue(std::string_view value);
bool IsCleanFieldValue(std::string_view value);

// True when the handler asked for the connection's end: "Connection: close".
bool AsksForClose(const Headers& headers);

// False for statuses that never have a body: 1xx, 204, 304.
bool StatusAllowsBody(int status);

// Calls emit(std::string_view name, std::string_view value) for each field to be sent, except Date
// and Content-Length. The views stay valid as long as `headers` and `cleaned`.
template <typename Emit>
void ForEachSentField(const Headers& headers, std::forward_list<std::string>& cleaned, Emit emit) {
  for (const auto& [name, value] : headers.fields()) {
    if (IsConnectionField(name) || !IsFieldName(name)) continue;
    const bool clean = IsCleanFieldValue(value);
    if (!clean) cleaned.push_front(CleanFieldValue(value));
    emit(std::string_view(name), std::string_view(clean ? value : cleaned.front()));
  }
}

// Emits the same fields; the views are valid during the call only.
template <typename Emit>
void ForEachSentField(const Headers& headers, Emit emit) {
  std::forward_list<std::string> cleaned;
  ForEachSentField(headers, cleaned, std::move(emit));
}

}  // namespace steward::http

#endif  // APISERVER_HTTP_MESSAGE_RESPONSE_FIELDS_H_
