// Errors that are answered before a handler exists.
#ifndef APISERVER_HTTP_HTTP_ERROR_H_
#define APISERVER_HTTP_HTTP_ERROR_H_

#include <string>
#include <string_view>

#include "apiserver/http/options.h"

namespace steward::http {

// To be answered with a Status body.
struct HttpError {
  int code = 0;
  std::string_view reason;  // static; "" = Kubernetes has none
  std::string message;
};

HttpError RequestMemoryExhausted();
HttpError HeaderTooLarge(const Limits& limits);
HttpError BodyTooLarge(const Limits& limits);

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP_ERROR_H_
