#include "cmd/steward/metrics_certificate.h"

#include <utility>

#include "absl/status/status.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate_check.h"
#include "base/tls/expiry.h"

namespace steward {
namespace {

constexpr absl::Duration kValidity = absl::Hours(24 * 365);
constexpr absl::Duration kRenewBefore = absl::Hours(24 * 30);
constexpr absl::Duration kPeriod = absl::Seconds(10);

CertificateSpec SelfSigned(absl::Time now) {
  CertificateSpec spec;
  spec.common_name = "steward-metrics";
  AddSubjects({"localhost", "127.0.0.1", HostName()}, spec);
  spec.server_auth = true;
  spec.not_before = now - absl::Hours(1);
  spec.not_after = now + kValidity;
  return spec;
}

}  // namespace

MetricsCertificate::MetricsCertificate(CertificateFiles files, Clock& clock, ServerTlsOptions tls)
    : files_(std::move(files)), clock_(clock), tls_(std::move(tls)) {}

absl::StatusOr<std::unique_ptr<MetricsCertificate>> MetricsCertificate::Create(
    CertificateFiles files, Clock& clock, ServerTlsOptions tls) {
  std::unique_ptr<MetricsCertificate> certificate(
      new MetricsCertificate(std::move(files), clock, std::move(tls)));
  const absl::Status loaded = certificate->Load();
  if (!loaded.ok() && !absl::IsNotFound(loaded)) return loaded;
  if (!loaded.ok()) RETURN_IF_ERROR(certificate->Make());
  return certificate;
}

absl::Status MetricsCertificate::Load() {
  if (files_.cert_file.empty()) return absl::NotFoundError("no files are named");
  ASSIGN_OR_RETURN(std::unique_ptr<ServerCertificate> given,
                   ServerCertificate::Load(files_.cert_file, files_.key_file, tls_));
  MutexLock lock(&mutex_);
  given_ = std::move(given);
  return absl::OkStatus();
}

absl::Status MetricsCertificate::Make() {
  const CertificateSpec spec = SelfSigned(clock_.Now());
  ASSIGN_OR_RETURN(const PemKeyPair pair, IssueCertificate(spec));
  ASSIGN_OR_RETURN(SslContext context, MakeServerContext(pair, tls_));
  MutexLock lock(&mutex_);
  made_ = std::move(context);
  made_until_ = spec.not_after;
  return absl::OkStatus();
}

SslContext MetricsCertificate::context() const {
  MutexLock lock(&mutex_);
  return given_ != nullptr ? given_->context() : made_;
}

void MetricsCertificate::Refresh() {
  ServerCertificate* given = nullptr;
  absl::Time made_until;
  {
    MutexLock lock(&mutex_);
    given = given_.get();
    made_until = made_until_;
  }
  if (given != nullptr) {
    given->MaybeReload();
    return;
  }
  const absl::Status loaded = Load();
  if (loaded.ok()) {
    log::Info("Serving metrics with the given certificate", {{"cert", files_.cert_file}});
    return;
  }
  if (!absl::IsNotFound(loaded) && told_ != ToStd(loaded.message())) {
    told_ = ToStd(loaded.message());
    log::Warning("The certificate of the metrics cannot be used yet", {{"err", loaded}});
  }
  if (clock_.Now() + kRenewBefore < made_until) return;
  if (const absl::Status status = Make(); !status.ok()) {
    log::Error("Renewing the certificate of the metrics failed", {{"err", status}});
  }
}

VoidTask MetricsCertificate::KeepFresh(ServingExpiry expiry) {
  for (;;) {
    expiry.Set(ExpiryOf(context()));
    co_await clock_.Sleep(kPeriod);
    Refresh();
  }
}

}  // namespace steward
