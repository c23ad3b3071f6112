// /debug/flags/v: the log verbosity, changeable while the process runs. Thread-safe.
#ifndef APISERVER_SERVER_DEBUG_FLAGS_H_
#define APISERVER_SERVER_DEBUG_FLAGS_H_

#include "apiserver/http/message/message.h"

namespace steward::server {

inline constexpr char kVerbosityPath[] = "/debug/flags/v";

// Answers as Kubernetes' components do: a PUT with a number as the body sets --v until the next
// one, and is answered with 400 unless the number is from 0 to 10; other methods are 406.
http::Handler VerbosityHandler();

}  // namespace steward::server

#endif  // APISERVER_SERVER_DEBUG_FLAGS_H_
