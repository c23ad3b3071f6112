#include "base/tls/local_ca.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate_check.h"
#include "base/tls/files.h"

namespace steward {
namespace {

constexpr absl::Duration kYear = absl::Hours(24 * 365);
constexpr absl::Duration kRenewBefore = absl::Hours(24 * 30);

absl::Status MakeDirectory(const std::string& directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (error) return absl::ErrnoToStatus(error.value(), StrCat("creating ", directory));
  if (made && chmod(directory.c_str(), 0700) != 0) {
    return absl::ErrnoToStatus(errno, StrCat("setting the mode of ", directory));
  }
  return absl::OkStatus();
}

CertificateFiles FilesOf(const LocalCaOptions& options, std::string_view name) {
  return {StrCat(options.directory, "/", name, ".crt"),
          StrCat(options.directory, "/", name, ".key")};
}

// The content, or "" when there is no such file. A file that cannot be read is an error, and must
// not be replaced.
absl::StatusOr<std::string> ReadIfThere(const std::string& path) {
  absl::StatusOr<std::string> content = ReadSmallFile(path);
  if (absl::IsNotFound(content.status())) return std::string();
  return content;
}

absl::StatusOr<PemKeyPair> Ensure(const CertificateFiles& files, const CertificateSpec& spec,
                                  const PemKeyPair* issuer, absl::Time now,
                                  absl::Duration remaining) {
  PemKeyPair kept;
  ASSIGN_OR_RETURN(kept.cert_pem, ReadIfThere(files.cert_file));
  ASSIGN_OR_RETURN(kept.key_pem, ReadIfThere(files.key_file));
  if (!kept.cert_pem.empty() || !kept.key_pem.empty()) {
    const absl::Status usable = CheckCertificate(kept, spec, issuer, now, remaining);
    if (usable.ok()) return kept;
    log::Info("Replacing a certificate", {{"cert", files.cert_file}, {"why", usable}});
  }
  ASSIGN_OR_RETURN(PemKeyPair made, IssueCertificate(spec, issuer));
  RETURN_IF_ERROR(ReplaceFile(files.key_file, made.key_pem, 0600));
  RETURN_IF_ERROR(ReplaceFile(files.cert_file, made.cert_pem, 0644));
  return made;
}

CertificateSpec LeafSpec(std::string_view common_name, absl::Time now) {
  CertificateSpec spec;
  spec.common_name = std::string(common_name);
  spec.not_before = now - absl::Hours(1);
  spec.not_after = now + kYear;
  return spec;
}

CertificateSpec ServingSpec(const LocalCaOptions& options) {
  CertificateSpec spec = LeafSpec("steward", options.now);
  spec.server_auth = true;
  AddSubjects({"localhost", "127.0.0.1", "::1", options.bind_address}, spec);
  if (options.bind_address == "0.0.0.0" || options.bind_address == "::") {
    AddSubjects({HostName()}, spec);
  }
  AddSubjects(options.names, spec);
  return spec;
}

CertificateSpec ClientSpec(std::string_view common_name, absl::Time now) {
  CertificateSpec spec = LeafSpec(common_name, now);
  spec.client_auth = true;
  return spec;
}

CertificateSpec AdminSpec(absl::Time now) {
  CertificateSpec spec = ClientSpec("steward-admin", now);
  spec.organizations = {"system:masters"};
  return spec;
}

}  // namespace

absl::StatusOr<LocalCertificates> EnsureLocalCertificates(const LocalCaOptions& options) {
  RETURN_IF_ERROR(MakeDirectory(options.directory));
  LocalCertificates result;
  const CertificateFiles authority = FilesOf(options, "ca");
  ASSIGN_OR_RETURN(const PemKeyPair ca,
                   Ensure(authority, AuthoritySpec("steward-local-ca", options.now), nullptr,
                          options.now, kYear));
  result.ca_file = authority.cert_file;
  result.ca_pem = ca.cert_pem;
  result.serving = FilesOf(options, "serving");
  RETURN_IF_ERROR(
      Ensure(result.serving, ServingSpec(options), &ca, options.now, kRenewBefore).status());
  if (options.admin) {
    ASSIGN_OR_RETURN(result.admin, Ensure(FilesOf(options, "admin"), AdminSpec(options.now), &ca,
                                          options.now, kRenewBefore));
  }
  for (const std::string& client : options.clients) {
    const CertificateFiles files = FilesOf(options, client);
    RETURN_IF_ERROR(
        Ensure(files, ClientSpec(client, options.now), &ca, options.now, kRenewBefore).status());
    result.clients.emplace(client, files);
  }
  return result;
}

}  // namespace steward
