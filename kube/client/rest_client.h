// kube::Client over HTTP to a real API server. Thread-safe.
//
// HTTP/1.1 over TLS, with kept and pooled connections. 429 and Retry-After are honoured within the
// time limit (kube/client/retry.h has the rules for retries); a token file is read again as it
// rotates.
#ifndef KUBE_CLIENT_REST_CLIENT_H_
#define KUBE_CLIENT_REST_CLIENT_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "absl/status/statusor.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/config.h"
#include "kube/client/rest_options.h"

namespace steward::kube {

// All connections live on `executor`, whichever executors the callers are on. kInvalidArgument for
// certificates or keys that do not parse. REQUIRES: `executor` runs one handler at a time (a
// strand, or an io_context with one thread) and runs as long as the client, its watches and its
// calls live; `clock` and `random` outlive them.
absl::StatusOr<std::unique_ptr<Client>> MakeRestClient(const ClientConfig& config,
                                                       boost::asio::any_io_executor executor,
                                                       Clock& clock, Random& random,
                                                       RestClientOptions options = {});

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REST_CLIENT_H_
