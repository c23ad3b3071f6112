// The CAs and header names that authentication trusts. AuthenticationConfigStore is thread-safe,
// the others are values.
#ifndef APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_CONFIG_H_
#define APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_CONFIG_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/filters/authentication/x509_verifier.h"
#include "base/sync/mutex.h"

namespace steward::filters {

// The headers in which a front proxy names the user. Header names compare case-insensitively.
struct RequestHeaderSettings {
  std::string ca_pem;
  std::vector<std::string> allowed_names;  // common names; empty = every certificate of the CA
  std::vector<std::string> username_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_prefixes;
  std::vector<std::string> uid_headers;
  bool operator==(const RequestHeaderSettings&) const = default;
};

// Settings from flags or from the cluster. An absent part is unknown, or was not configured.
struct AuthenticationSettings {
  std::string client_ca_pem;  // "" = absent
  std::optional<RequestHeaderSettings> request_header;
  bool operator==(const AuthenticationSettings&) const = default;
};

// Checked settings, with the CAs parsed. Immutable.
struct AuthenticationConfig {
  AuthenticationSettings settings;
  std::shared_ptr<const X509Verifier> client_ca;          // null = no client certificates
  std::shared_ptr<const X509Verifier> request_header_ca;  // null = no front proxy

  // kInvalidArgument if a CA does not parse, if a header name is empty (an empty prefix would match
  // every header), or if every certificate of the clients' CAs would also be a front proxy's.
  static absl::StatusOr<std::shared_ptr<const AuthenticationConfig>> Create(
      AuthenticationSettings settings);
};

// The settings in force: those of the flags, completed by those of the cluster. A reader sees a
// whole config, old or new. Thread-safe.
class AuthenticationConfigStore {
 public:
  AuthenticationConfigStore();

  // From now until SetFromCluster succeeds, awaits_cluster() is true: only users whose CAs the
  // flags name are known.
  void AwaitCluster() { awaits_cluster_.store(true, std::memory_order_release); }
  bool awaits_cluster() const { return awaits_cluster_.load(std::memory_order_acquire); }

  // Never null; before any setting, a config that authenticates no user.
  std::shared_ptr<const AuthenticationConfig> Get() const;

  // Replace one of the two sources. On error the config in force stays.
  absl::Status SetFromFlags(AuthenticationSettings settings);
  absl::Status SetFromCluster(AuthenticationSettings settings);

 private:
  absl::Status Update() ABSL_EXCLUSIVE_LOCKS_REQUIRED(update_mutex_);

  std::atomic<bool> awaits_cluster_{false};
  Mutex update_mutex_;
  AuthenticationSettings from_flags_ ABSL_GUARDED_BY(update_mutex_);
  AuthenticationSettings from_cluster_ ABSL_GUARDED_BY(update_mutex_);

  mutable Mutex mutex_;
  std::shared_ptr<const AuthenticationConfig> config_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_CONFIG_H_
