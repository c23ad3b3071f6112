// /debug/flags/v: how much is logged, changed while the process runs.
#ifndef APISERVER_SERVER_DEBUG_FLAGS_H_
#define APISERVER_SERVER_DEBUG_FLAGS_H_

#include "apiserver/http/message.h"

namespace steward::server {

inline constexpr char kVerbosityPath[] = "/debug/flags/v";

// As Kubernetes' components answer there: PUT with a number as the body sets --v until the next
// one, 400 for what is none from 0 to 10; other methods are 406.
http::Handler VerbosityHandler();

}  // namespace steward::server

#endif  // APISERVER_SERVER_DEBUG_FLAGS_H_
