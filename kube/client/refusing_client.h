// A client that refuses each call. Thread-safe: immutable.
#ifndef KUBE_CLIENT_REFUSING_CLIENT_H_
#define KUBE_CLIENT_REFUSING_CLIENT_H_

#include <memory>

#include "absl/status/status.h"
#include "kube/client/client.h"

namespace steward::kube {

// Each call of the client, and of each client made of it, ends with `error`.
std::unique_ptr<Client> MakeRefusingClient(absl::Status error);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REFUSING_CLIENT_H_
