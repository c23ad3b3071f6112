// The Authorization header of requests. Not thread-safe.
#ifndef KUBE_CLIENT_CREDENTIALS_H_
#define KUBE_CLIENT_CREDENTIALS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "kube/client/config.h"

namespace steward::kube {

// A token file is read again when the last reading is a minute old, since kubelets rotate projected
// tokens in place.
class Credentials {
 public:
  static constexpr absl::Duration kTokenFileMaxAge = absl::Minutes(1);

  // REQUIRES: `clock` outlives the object.
  Credentials(const ClientConfig& config, Clock& clock, FileReader read_file);

  // "Bearer ...", "Basic ...", or "" when the configuration has neither. A token file that cannot
  // be read is an error only while no token was ever read.
  absl::StatusOr<std::string> Authorization();

  // To be called after a 401: reads the token file now, and returns true when it has another token.
  bool Refresh();

 private:
  absl::Status ReadTokenFile();

  const std::string token_file_;
  std::string header_;  // "" before the token file was read
  absl::Time read_at_ = absl::InfinitePast();
  Clock& clock_;
  const FileReader read_file_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_CREDENTIALS_H_
