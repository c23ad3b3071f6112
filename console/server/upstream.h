// The kube-apiserver behind the console. Lives on its executor; calls may overlap.
#ifndef CONSOLE_SERVER_UPSTREAM_H_
#define CONSOLE_SERVER_UPSTREAM_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/config.h"
#include "kube/client/connection_pool.h"
#include "kube/client/transport.h"

namespace steward::console {

struct UpstreamRequest {
  std::string method;
  std::string target;         // without the server's path prefix
  std::string fields;         // lines, each with its end
  std::string authorization;  // "" = use the configuration's credentials
  std::string body;
};

// The head of an answer, and the connection that its body is read from. The answer to a HEAD has no
// body to read, and its connection must not be recycled.
using UpstreamAnswer = kube::Transport::Answer;

class Upstream {
 public:
  // kInvalidArgument for certificates or keys that do not parse. REQUIRES: `clock` outlives the
  // object, which is destroyed on `executor`.
  static absl::StatusOr<std::unique_ptr<Upstream>> Create(const kube::ClientConfig& config,
                                                          boost::asio::any_io_executor executor,
                                                          Clock& clock,
                                                          kube::ConnectionPoolOptions connections);

  // Errors carry a Kubernetes Status, or are kUnavailable: 503 if no connection can be made, or the
  // configuration's credentials cannot be read; 502 if the connection ends before an answer. A
  // request that only reads is sent once more when a kept connection turns out to be closed.
  // `request` outlives the task. Cancelling the task resets the connection.
  Task<UpstreamAnswer> Send(const UpstreamRequest& request);

 private:
  Upstream(std::unique_ptr<kube::Transport> transport, std::string acting)
      : transport_(std::move(transport)), acting_(std::move(acting)) {}

  Task<UpstreamAnswer> SendAs(const UpstreamRequest& request, std::string identity);

  const std::unique_ptr<kube::Transport> transport_;
  // the header lines, with line ends, of the user that the configuration acts as
  const std::string acting_;
};

}  // namespace steward::console

#endif  // CONSOLE_SERVER_UPSTREAM_H_
