// The sender of requests to the API server: connections, credentials, retries, time limits, errors.
// Lives on its executor; calls may overlap.
#ifndef KUBE_CLIENT_REQUEST_SENDER_H_
#define KUBE_CLIENT_REQUEST_SENDER_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/config.h"
#include "kube/client/connection_pool.h"
#include "kube/client/credentials.h"
#include "kube/client/rest_options.h"
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
  // Receives the date of the last answer, whatever it answers, if it has one; null = dropped.
  std::shared_ptr<std::optional<absl::Time>> date;
};

// Errors are those of kube::Client.
class RequestSender {
 public:
  // REQUIRES: `clock` and `random` outlive this object and its leases.
  RequestSender(const ClientConfig& config, std::unique_ptr<Dialer> dialer,
                boost::asio::any_io_executor executor, Clock& clock, Random& random,
                const RestClientOptions& options);

  // Returns a success's body, followed by RawObject::kPadding zero bytes.
  Task<std::shared_ptr<const std::string>> Fetch(RestRequest request);
  // Returns a success whose head was read and whose body the caller reads.
  Task<ConnectionPool::Lease> Open(RestRequest request);

  Clock& clock() { return clock_; }
  const RestClientOptions& options() const { return options_; }

 private:
  struct Answer {
    ConnectionPool::Lease lease;
    ResponseHead head;
  };

  Task<std::shared_ptr<const std::string>> FetchUnlimited(RestRequest request, absl::Time deadline);
  Task<ConnectionPool::Lease> OpenUnlimited(RestRequest request, absl::Time deadline);
  Task<Answer> SendAuthorized(const RestRequest& request);
  Task<Answer> Send(const RestRequest& request, const std::string& authorization);
  Task<Answer> SendOn(const RestRequest& request, const std::string& bytes, bool fresh,
                      bool& stale);
  std::string Serialize(const RestRequest& request, const std::string& authorization) const;
  void Observe(const RestRequest& request, std::string_view code, absl::Time start) const;

  const std::string fixed_headers_;
  const std::string path_prefix_;
  Credentials credentials_;
  ConnectionPool pool_;
  Clock& clock_;
  Random& random_;
  const RestClientOptions options_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REQUEST_SENDER_H_
