// The sender of requests to the API server: retries, time limits, errors. Lives on its executor;
// calls may overlap.
#ifndef KUBE_CLIENT_REQUEST_SENDER_H_
#define KUBE_CLIENT_REQUEST_SENDER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/connection_pool.h"
#include "kube/client/credentials.h"
#include "kube/client/rest_options.h"
#include "kube/client/transport.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

struct RestRequest {
  std::string method;                          // "GET" may be sent again, no other method is
  std::string target;                          // without the server's path prefix
  std::string body;                            // sent with every method but GET
  absl::Duration timeout = absl::Seconds(30);  // over all tries
  size_t max_body_bytes = 16 << 20;            // of the answer
  std::string content_type = "application/json";
  std::string accept = "application/json";
  std::string traceparent;    // as in WriteOptions
  std::string impersonation;  // header lines (impersonation.h); "" = as the client's own user
  SendCheck may_send;         // of writes
  // Receives the warnings of the last answer; null = dropped. Used on the sender's executor until
  // the call ends.
  std::shared_ptr<std::vector<std::string>> warnings;
  // Receives the date of the last answer, of an error as well, if it has one; null = dropped.
  std::shared_ptr<std::optional<absl::Time>> date;
};

// Errors are those of kube::Client. A request that is answered 401 is sent once more if
// Credentials::Renew finds other credentials. No time limit includes the time to get credentials.
class RequestSender {
 public:
  // REQUIRES: `clock` and `random` outlive this object and its leases.
  RequestSender(std::unique_ptr<Transport> transport, Clock& clock, Random& random,
                const RestClientOptions& options);

  // Returns a success's body, followed by RawObject::kPadding zero bytes.
  Task<std::shared_ptr<const std::string>> Fetch(RestRequest request);
  // Returns a success whose head was read and whose body the caller reads.
  Task<ConnectionPool::Lease> Open(RestRequest request);

  Clock& clock() { return clock_; }
  const RestClientOptions& options() const { return options_; }

 private:
  // REQUIRES: the arguments outlive these tasks (Fetch and Open see to it).
  Task<std::shared_ptr<const std::string>> FetchWithin(const RestRequest& request,
                                                       const Credential& credential);
  Task<std::shared_ptr<const std::string>> FetchUnlimited(const RestRequest& request,
                                                          const Credential& credential,
                                                          absl::Time deadline);
  Task<ConnectionPool::Lease> OpenWithin(const RestRequest& request, const Credential& credential);
  Task<ConnectionPool::Lease> OpenUnlimited(const RestRequest& request,
                                            const Credential& credential, absl::Time deadline);
  std::string Serialize(const RestRequest& request, const Credential& credential) const;

  const std::unique_ptr<Transport> transport_;
  Clock& clock_;
  Random& random_;
  const RestClientOptions options_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REQUEST_SENDER_H_
