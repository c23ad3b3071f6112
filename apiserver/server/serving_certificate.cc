#include "apiserver/server/serving_certificate.h"

#include "absl/time/time.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/tls/expiry.h"
#include "base/tls/self_signed.h"

namespace steward::server {
namespace {

absl::StatusOr<CertificateFiles> Files(const Options& options, const Clock& clock) {
  if (!options.tls_cert_file.empty()) {
    return CertificateFiles{options.tls_cert_file, options.tls_private_key_file};
  }
  SelfSignedOptions self_signed;
  self_signed.directory = options.cert_dir;
  self_signed.bind_address = options.bind_address;
  self_signed.now = clock.Now();
  return EnsureSelfSigned(self_signed);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerCertificate>> LoadServingCertificate(const Options& options,
                                                                          const Clock& clock) {
  ASSIGN_OR_RETURN(const CertificateFiles files, Files(options, clock));
  return ServerCertificate::Load(files.cert_file, files.key_file, options.tls);
}

VoidTask KeepServingCertificateFresh(const Options& options, ServerCertificate& certificate,
                                     Clock& clock, ServingExpiry expiry) {
  for (;;) {
    expiry.Set(ExpiryOf(certificate.context()));
    co_await clock.Sleep(absl::Minutes(1));
    const auto files = Files(options, clock);
    if (!files.ok()) {
      log::Error("Renewing the serving certificate failed", {{"error", files.status()}});
    }
    if (certificate.MaybeReload()) log::Info("Took over a new serving certificate");
  }
}

}  // namespace steward::server
