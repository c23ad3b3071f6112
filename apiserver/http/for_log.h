// What a client wrote, as far as the log takes it.
#ifndef APISERVER_HTTP_FOR_LOG_H_
#define APISERVER_HTTP_FOR_LOG_H_

#include <cstddef>
#include <string_view>

namespace steward::http {

constexpr size_t kMaxLogField = 1 << 10;

// The beginning of `text`: strangers decide on its length. A view into it.
constexpr std::string_view ForLog(std::string_view text) { return text.substr(0, kMaxLogField); }

}  // namespace steward::http

#endif  // APISERVER_HTTP_FOR_LOG_H_
