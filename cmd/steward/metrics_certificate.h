// The certificate under which metrics are served.
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

// The pair in the given files; while those are not there, or none were named, one that is signed by
// itself, made in memory. Thread-safe, except that one task at a time may run Refresh or KeepFresh.
class MetricsCertificate {
 public:
  // `files`: both empty, or none. Errors: files that are there and cannot be used.
  static absl::StatusOr<std::unique_ptr<MetricsCertificate>> Create(CertificateFiles files,
                                                                    Clock& clock);

  // For one new handshake.
  SslContext context() const;

  // Takes over files that came or changed, and renews the pair made here in time.
  void Refresh();
  // Does so every ten seconds, until cancelled; `expiry` says when the one in force ends.
  VoidTask KeepFresh(ServingExpiry expiry);

 private:
  MetricsCertificate(CertificateFiles files, Clock& clock);
  absl::Status Load();
  absl::Status Make();

  const CertificateFiles files_;
  Clock& clock_;
  std::string told_;  // why files that are there cannot be used, already logged
  mutable Mutex mutex_;
  std::unique_ptr<ServerCertificate> given_ ABSL_GUARDED_BY(mutex_);  // null: no files yet
  SslContext made_ ABSL_GUARDED_BY(mutex_);
  absl::Time made_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace steward

#endif  // CMD_STEWARD_METRICS_CERTIFICATE_H_
