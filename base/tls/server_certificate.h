// The server's certificate and key, re-read from their files while it runs. Thread-safe, except
// that only one thread may call MaybeReload.
#ifndef BASE_TLS_SERVER_CERTIFICATE_H_
#define BASE_TLS_SERVER_CERTIFICATE_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "base/sync/mutex.h"
#include "base/tls/server_context.h"

namespace steward {

class ServerCertificate {
 public:
  // Reads the pair. Fails when a file cannot be read or the pair is unusable.
  static absl::StatusOr<std::unique_ptr<ServerCertificate>> Load(std::string cert_file,
                                                                 std::string key_file,
                                                                 ServerTlsOptions options = {});

  // Reads both files again and, if their content changed, uses the new pair for later handshakes;
  // existing connections keep their certificate. A pair that cannot be used (one file replaced
  // before the other, say) is logged once, and the last good pair stays. Returns true if a new pair
  // is in use. Call it at intervals of a few seconds to a minute.
  bool MaybeReload();

  // The context for one new handshake.
  SslContext context() const;

 private:
  ServerCertificate(std::string cert_file, std::string key_file, ServerTlsOptions options);

  const std::string cert_file_;
  const std::string key_file_;
  const ServerTlsOptions options_;
  PemKeyPair last_read_;         // content of the files at the last attempt, good or bad
  std::string last_read_error_;  // why the files could not be read; already logged
  mutable Mutex mutex_;
  SslContext context_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward

#endif  // BASE_TLS_SERVER_CERTIFICATE_H_
