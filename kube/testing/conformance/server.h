// The API server under test. Used by one thread.
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
  // The executor of the calls. It runs only during a call or a wait.
  boost::asio::io_context& io;

  // Widgets that all cases may share, each in namespaces of its own, since a kube-apiserver needs
  // seconds for a new definition. Nullopt: each case defines its own.
  std::optional<GroupVersionResource> shared_widgets;

  // Abilities that cannot be seen through the client. A case that needs a missing one is skipped.

  // Contents of deleted namespaces and dependents of deleted owners are cleaned up.
  bool has_controllers = false;
  // The longest time between a watch's bookmarks; zero = too long to wait for.
  absl::Duration bookmark_period;
  // Makes the server forget its history up to now; null = not possible.
  std::function<void()> forget_the_past;
};

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_SERVER_H_
