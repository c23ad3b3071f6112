// The authentication settings that every kube-apiserver publishes for aggregated API servers:
// ConfigMap kube-system/extension-apiserver-authentication. The source lives on one executor.
#ifndef APISERVER_FILTERS_AUTHENTICATION_EXTENSION_AUTHENTICATION_SOURCE_H_
#define APISERVER_FILTERS_AUTHENTICATION_EXTENSION_AUTHENTICATION_SOURCE_H_

#include <atomic>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "base/async/backoff.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"

namespace steward::filters {

// Parses the ConfigMap, a JSON object. Absent keys are absent settings; without a front-proxy CA
// there is no front proxy. kInvalidArgument if `config_map` is no ConfigMap, or a header list is no
// JSON array of strings.
absl::StatusOr<AuthenticationSettings> ParseExtensionAuthentication(std::string_view config_map);

// Keeps an AuthenticationConfigStore up to date. Borrows its dependencies.
class ExtensionAuthenticationSource {
 public:
  ExtensionAuthenticationSource(kube::Client& client, AuthenticationConfigStore& store,
                                Clock& clock, Random& random)
      : client_(client), store_(store), clock_(clock), backoff_({}, random) {}

  // Lists and watches that one ConfigMap until cancelled. After any failure, and if the ConfigMap
  // is deleted or damaged, the last good settings stay. To be run once.
  VoidTask Run();

  // True once the settings of the cluster's ConfigMap have been in force. A ConfigMap that is
  // absent (a kube-apiserver writes it soon after its start) or damaged does not count.
  // Thread-safe.
  bool has_synced() const { return synced_.load(std::memory_order_acquire); }

 private:
  StatusTask ListAndWatch();
  Task<std::string> List();
  // A failure is only logged.
  void Apply(const kube::RawObject& config_map);

  kube::Client& client_;
  AuthenticationConfigStore& store_;
  Clock& clock_;
  Backoff backoff_;
  std::atomic<bool> synced_{false};
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_EXTENSION_AUTHENTICATION_SOURCE_H_
