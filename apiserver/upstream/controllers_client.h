// Asks the controllers over gRPC.
#ifndef APISERVER_UPSTREAM_CONTROLLERS_CLIENT_H_
#define APISERVER_UPSTREAM_CONTROLLERS_CLIENT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/upstream/circuit.h"
#include "apiserver/upstream/pending_operands.h"
#include "base/async/backoff.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"

namespace steward::upstream {

struct ControllersClientOptions {
  // "host:port", or any target that gRPC knows; a name with several addresses is all of them.
  std::string address;
  // PEM files, looked at again every reload_seconds. The controllers' certificate is to be of this
  // authority and for the host of `address`; this client's names who it is (--grpc-frontends).
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  unsigned reload_seconds = 10;

  size_t connections = 2;  // to each address
  int max_calls = 100;     // at a time; beyond, calls are refused with 429 at once
  absl::Duration call_timeout = absl::Seconds(30);  // with all attempts
  int attempts = 3;
  BackoffOptions retry = {absl::Milliseconds(100), absl::Seconds(2), 2.0, 0.5};
  CircuitOptions circuit;
};

// What does not reach the controllers is tried again, as often and as long as the options say; when
// it goes on, the circuit opens, and calls fail at once with 503. What the controllers themselves
// answer is passed on as it is. Thread-safe.
class ControllersClient : public PendingOperands {
 public:
  // Connects with the first call. Errors name a file that cannot be used; one that is not there yet
  // may still come. REQUIRES: `clock` and `random` outlive this object and its calls.
  static absl::StatusOr<std::unique_ptr<ControllersClient>> Create(ControllersClientOptions options,
                                                                   Clock& clock, Random& random);
  ~ControllersClient() override;

  Task<PendingPage> ListPending(Asker asker, kube::NamespacedName csv, int64_t limit,
                                std::string continue_token) override;

 private:
  struct Impl;
  explicit ControllersClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_CONTROLLERS_CLIENT_H_
