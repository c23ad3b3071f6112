// The credentials of requests. Lives on its executor; calls may overlap.
#ifndef KUBE_CLIENT_CREDENTIALS_H_
#define KUBE_CLIENT_CREDENTIALS_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/blocking_call.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/tls/certificate.h"
#include "kube/client/config.h"
#include "kube/client/exec_plugin.h"

namespace steward::kube {

struct Credential {
  std::string authorization;  // the header's value: "Bearer ...", "Basic ...", or "" for none
  // A certificate for connections in place of the configuration's; null = none.
  std::shared_ptr<const PemKeyPair> certificate;

  bool operator==(const Credential&) const = default;
};

// A token file is read again when the last reading is a minute old, since kubelets rotate projected
// tokens in place. An exec plugin runs at the first request, when what it said has expired, and
// after a 401; not where the configuration has other credentials (as in client-go).
class Credentials {
 public:
  static constexpr absl::Duration kTokenFileMaxAge = absl::Minutes(1);
  // After a run that changed nothing, a 401 does not have the plugin run again for this long.
  static constexpr absl::Duration kRenewalPause = absl::Seconds(10);

  using PluginRunner = std::function<absl::StatusOr<ExecCredential>(const ExecPlugin& plugin)>;

  // REQUIRES: `clock` outlives the object; `executor` runs one handler at a time.
  Credentials(const ClientConfig& config, boost::asio::any_io_executor executor, Clock& clock,
              FileReader read_file, PluginRunner run_plugin);

  // May take as long as a plugin runs. kUnauthenticated for a plugin that fails, and for a token
  // file that cannot be read while no token was ever read.
  Task<Credential> Current();

  // To be called after a 401 that `refused` got: reads the token file now, or runs the plugin
  // again; returns true when there are other credentials. kUnauthenticated for a plugin that fails.
  Task<bool> Renew(Credential refused);

 private:
  absl::Status ReadTokenFile();
  absl::StatusOr<Credential> FromFile();
  StatusTask AskPlugin();

  const std::string token_file_;
  Credential held_;  // empty before the token file was read, or the plugin asked
  absl::Time read_at_ = absl::InfinitePast();
  absl::Time expires_at_ = absl::InfinitePast();  // of what the plugin said
  absl::Time renewed_in_vain_at_ = absl::InfinitePast();
  Clock& clock_;
  const FileReader read_file_;
  std::optional<BlockingCall<ExecCredential>> plugin_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_CREDENTIALS_H_
