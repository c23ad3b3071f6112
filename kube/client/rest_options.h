// The options of the REST client: plain values.
#ifndef KUBE_CLIENT_REST_OPTIONS_H_
#define KUBE_CLIENT_REST_OPTIONS_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "kube/client/transport.h"

namespace steward::kube {

struct RestClientOptions {
  std::string user_agent = "steward";
  // The limit over all tries of a call, with connecting and waiting for a connection; for a watch,
  // until the server accepts it.
  absl::Duration request_timeout = absl::Seconds(30);
  absl::Duration list_timeout = absl::Seconds(60);
  // A watch that lives longer than it asked for by this much is treated as broken.
  absl::Duration watch_grace = absl::Seconds(30);
  // A watch that brings nothing for this long is treated as broken, too: kube-apiserver sends a
  // bookmark each minute, the first after two.
  absl::Duration watch_silence = absl::Minutes(3);
  // The limits of one page of a list, and of any other answer; a larger answer is
  // kResourceExhausted.
  size_t max_list_bytes = 512 << 20;
  size_t max_object_bytes = 16 << 20;
  TransportOptions transport;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REST_OPTIONS_H_
