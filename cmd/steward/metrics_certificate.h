// The certificate under which metrics are served. Thread-safe, except that one task at a time may
// run Refresh or KeepFresh.
#ifndef CMD_STEWARD_METRICS_CERTIFICATE_H_
#define CMD_STEWARD_METRICS_CERTIFICATE_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/metrics/serving_expiry.h"
#include "base/sync/mutex.h"
#include "base/tls/certificate.h"
#include "base/tls/server_certificate.h"
#include "base/tls/server_context.h"

namespace steward {

// The certificate in the given files. As long as they are missing, or if none were named, a
// self-signed one, made in memory.
class MetricsCertificate {
 public:
  // The names in `files` are both empty or both given. An error means that files exist and cannot
  // be used.
  static absl::StatusOr<std::unique_ptr<MetricsCertificate>> Create(CertificateFiles files,
                                                                    Clock& clock,
                                                                    ServerTlsOptions tls = {});

  // The context for one new handshake.
  SslContext context() const;

  // Loads files that appeared or changed, and renews the self-signed pair in time.
  void Refresh();
  // Calls Refresh every ten seconds, until cancelled; `expiry` exports when the current certificate
  // ends.
  VoidTask KeepFresh(ServingExpiry expiry);

 private:
  MetricsCertificate(CertificateFiles files, Clock& clock, ServerTlsOptions tls);
  absl::Status Load();
  absl::Status Make();

  const CertificateFiles files_;
  Clock& clock_;
  const ServerTlsOptions tls_;
  std::string told_;  // the last logged reason why existing files cannot be used
  mutable Mutex mutex_;
  std::unique_ptr<ServerCertificate> given_ ABSL_GUARDED_BY(mutex_);  // null: no files yet
  SslContext made_ ABSL_GUARDED_BY(mutex_);
  absl::Time made_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace steward

#endif  // CMD_STEWARD_METRICS_CERTIFICATE_H_
