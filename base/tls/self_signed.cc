#include "base/tls/self_signed.h"

#include <filesystem>
#include <system_error>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate.h"
#include "base/tls/certificate_check.h"
#include "base/tls/files.h"

namespace steward {
namespace {

constexpr absl::Duration kValidity = absl::Hours(24 * 365);
constexpr absl::Duration kRenewBefore = absl::Hours(24);

CertificateSpec SpecFor(const SelfSignedOptions& options) {
  CertificateSpec spec;
  AddSubjects({"localhost", "127.0.0.1", HostName(), options.bind_address}, spec);
  AddSubjects(options.names, spec);
  spec.common_name = "steward-self-signed";
  spec.server_auth = true;
  spec.not_before = options.now - absl::Hours(1);
  spec.not_after = options.now + kValidity;
  return spec;
}

}  // namespace

absl::StatusOr<CertificateFiles> EnsureSelfSigned(const SelfSignedOptions& options) {
  const CertificateFiles files{StrCat(options.directory, "/apiserver.crt"),
                               StrCat(options.directory, "/apiserver.key")};
  const CertificateSpec spec = SpecFor(options);
  const auto cert = ReadSmallFile(files.cert_file);
  const auto key = ReadSmallFile(files.key_file);
  if (cert.ok() && key.ok()) {
    const absl::Status usable =
        CheckCertificate({*cert, *key}, spec, nullptr, options.now, kRenewBefore);
    if (usable.ok()) return files;
    log::Info("Replacing the self-signed serving certificate",
              {{"cert", files.cert_file}, {"why", usable}});
  }
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) return absl::ErrnoToStatus(error.value(), StrCat("creating ", options.directory));
  ASSIGN_OR_RETURN(PemKeyPair pair, IssueCertificate(spec));
  RETURN_IF_ERROR(ReplaceFile(files.key_file, pair.key_pem, 0600));
  RETURN_IF_ERROR(ReplaceFile(files.cert_file, pair.cert_pem, 0644));
  log::Info("Made a self-signed serving certificate",
            {{"cert", files.cert_file}, {"key", files.key_file}});
  return files;
}

}  // namespace steward
