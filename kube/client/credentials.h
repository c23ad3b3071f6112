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

// A token file is read again when the last reading is a minute old, because kubelets rotate
// projected tokens in place. An exec plugin runs at the first request, when its credential has
// expired, and after a 401. Like client-go, this class ignores the plugin if the configuration has
// other credentials.
class Credentials {
 public:
  static constexpr absl::Duration kTokenFileMaxAge = absl::Minutes(1);
  // If a run after a 401 brought the same credential, further 401s do not run the plugin for this
  // long.
  static constexpr absl::Duration kRenewalPause = absl::Seconds(10);

  using PluginRunner = std::function<absl::StatusOr<ExecCredential>(const ExecPlugin& plugin)>;

  // REQUIRES: `clock` outlives the object; `executor` runs one handler at a time.
  Credentials(const ClientConfig& config, boost::asio::any_io_executor executor, Clock& clock,
              FileReader read_file, PluginRunner run_plugin);

  // May take as long as the plugin runs. kUnauthenticated if the plugin fails, or if the token file
  // cannot be read and no token was read before.
  Task<Credential> Current();

  // Call this after a 401 for `refused`: reads the token file now, or runs the plugin again. True
  // if the current credential is another one by then. kUnauthenticated if the plugin fails.
  Task<bool> Renew(Credential refused);

 private:
  absl::Status ReadTokenFile();
  absl::StatusOr<Credential> FromFile();
  StatusTask AskPlugin();

  const std::string token_file_;
  Credential held_;  // empty until the token file was read, or the plugin was run
  absl::Time read_at_ = absl::InfinitePast();
  absl::Time expires_at_ = absl::InfinitePast();  // of the plugin's credential
  absl::Time renewed_in_vain_at_ = absl::InfinitePast();
  Clock& clock_;
  const FileReader read_file_;
  std::optional<BlockingCall<ExecCredential>> plugin_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_CREDENTIALS_H_
