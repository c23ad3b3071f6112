// The way to one API server: connections, credentials, and the second try of requests that only
// read. Lives on its executor; calls may overlap.
#ifndef KUBE_CLIENT_TRANSPORT_H_
#define KUBE_CLIENT_TRANSPORT_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/config.h"
#include "kube/client/connection_pool.h"
#include "kube/client/credentials.h"
#include "kube/client/http_connection.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

// One request and the head of its answer.
struct Exchange {
  std::string_view method;
  std::string_view target;  // without the server's path prefix
  std::string_view code;    // of HTTP, or "<error>"
  absl::Duration duration;  // until the response's head
};

struct TransportOptions {
  ConnectionPoolOptions connections;
  FileReader read_file = ReadFile;  // of the token file
  ExecPluginOptions exec;
  std::function<void(const Exchange& exchange)> observer;  // called for each exchange
};

class Transport {
 public:
  struct Request {
    std::string_view method;
    std::string_view target;
    const std::string& bytes;  // the whole request
    const SendCheck& may_send;
  };
  struct Answer {
    ConnectionPool::Lease lease;
    ResponseHead head;
  };

  // kInvalidArgument for certificates or keys that do not parse. REQUIRES: `clock` outlives the
  // object, which is destroyed on `executor`, and its leases.
  static absl::StatusOr<std::unique_ptr<Transport>> Create(const ClientConfig& config,
                                                           boost::asio::any_io_executor executor,
                                                           Clock& clock,
                                                           const TransportOptions& options);

  // Whether a request with this method changes nothing, and has no body.
  static bool OnlyReads(std::string_view method) { return method == "GET" || method == "HEAD"; }

  // The beginning of a request: its line and the fields that follow from the configuration.
  std::string Head(std::string_view method, std::string_view target) const;

  // See Credentials. The connections that follow present the certificate of `Current`.
  Task<Credential> Current();
  Task<bool> Renew(Credential refused) { return credentials_.Renew(std::move(refused)); }

  // Sends a request on a kept connection, or a new one. A kept connection that the server has just
  // closed fails before any byte of an answer. A request that only reads is then sent once more; a
  // write is not, because it could have arrived. kUnavailable if there is no answer; `connected`
  // then says whether there was a connection. REQUIRES: the arguments outlive the task.
  Task<Answer> Send(const Request& request, bool& connected);

 private:
  Transport(const ClientConfig& config, std::unique_ptr<Dialer> dialer,
            boost::asio::any_io_executor executor, Clock& clock, const TransportOptions& options);

  Task<Answer> SendOn(const Request& request, bool fresh, bool& connected, bool& stale);
  void Observe(const Request& request, std::string_view code, absl::Time start) const;

  const std::string prefix_;
  const std::string fields_;
  Credentials credentials_;
  std::shared_ptr<const PemKeyPair> certificate_;  // that connections present; null = that of the
                                                   // configuration
  ConnectionPool pool_;
  Clock& clock_;
  const TransportOptions options_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_TRANSPORT_H_
