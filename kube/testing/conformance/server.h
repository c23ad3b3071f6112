// The API server that the cases are run against.
#ifndef KUBE_TESTING_CONFORMANCE_SERVER_H_
#define KUBE_TESTING_CONFORMANCE_SERVER_H_

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>

#include "absl/time/time.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube::conformance {

struct Server {
  Client& client;
  // The calls are made on it, and it runs only while one of them, or a wait, does.
  boost::asio::io_context& io;

  // Widgets that all cases may use, each in namespaces of its own; without them each makes its own.
  // To a kube-apiserver a new definition is seconds of work.
  std::optional<GroupVersionResource> shared_widgets;

  // What cannot be seen through the client. A case that needs what is missing is skipped.

  // Contents of deleted namespaces and dependents of deleted owners are cleaned up.
  bool has_controllers = false;
  // Watches get a bookmark at least this often; zero = too seldom to wait for.
  absl::Duration bookmark_period;
  // Makes the server forget what happened before now; null = no way to.
  std::function<void()> forget_the_past;
};

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_SERVER_H_
