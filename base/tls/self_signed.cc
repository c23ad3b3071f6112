#include "base/tls/self_signed.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate.h"
#include "base/tls/files.h"
#include "base/tls/openssl_ptr.h"

namespace steward {
namespace {

constexpr absl::Duration kValidity = absl::Hours(24 * 365);
constexpr absl::Duration kRenewBefore = absl::Hours(24);

bool IsAddress(const std::string& name) {
  in6_addr ignored;
  return inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
}

void AddUnique(std::vector<std::string>& list, const std::string& value) {
  if (!value.empty() && std::find(list.begin(), list.end(), value) == list.end())
    list.push_back(value);
}

CertificateSpec SpecFor(const SelfSignedOptions& options) {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::vector<std::string> names = {"localhost", "127.0.0.1", host};
  if (options.bind_address != "0.0.0.0" && options.bind_address != "::")
    names.push_back(options.bind_address);
  names.insert(names.end(), options.names.begin(), options.names.end());

  CertificateSpec spec;
  for (const std::string& name : names)
    AddUnique(IsAddress(name) ? spec.ip_addresses : spec.dns_names, name);
  spec.common_name = "steward-self-signed";
  spec.server_auth = true;
  spec.not_before = options.now - absl::Hours(1);
  spec.not_after = options.now + kValidity;
  return spec;
}

// Says why the pair cannot be kept, or OK.
absl::Status CheckUsable(const PemKeyPair& pair, const CertificateSpec& wanted, absl::Time now) {
  X509Ptr cert(PEM_read_bio_X509(ReadBio(pair.cert_pem).get(), nullptr, nullptr, nullptr));
  EvpPkeyPtr key(PEM_read_bio_PrivateKey(ReadBio(pair.key_pem).get(), nullptr, nullptr, nullptr));
  if (cert == nullptr || key == nullptr) return OpensslError("reading the pair");
  if (X509_check_private_key(cert.get(), key.get()) != 1)
    return OpensslError("matching certificate and key");
  time_t begin = absl::ToTimeT(now);
  time_t end = absl::ToTimeT(now + kRenewBefore);
  if (X509_cmp_time(X509_get0_notBefore(cert.get()), &begin) > 0 ||
      X509_cmp_time(X509_get0_notAfter(cert.get()), &end) < 0) {
    return absl::FailedPreconditionError("not valid yet, expired, or about to expire");
  }
  for (const std::string& name : wanted.dns_names) {
    if (X509_check_host(cert.get(), name.data(), name.size(), 0, nullptr) != 1) {
      return absl::FailedPreconditionError(StrCat("does not cover ", name));
    }
  }
  for (const std::string& address : wanted.ip_addresses) {
    if (X509_check_ip_asc(cert.get(), address.c_str(), 0) != 1) {
      return absl::FailedPreconditionError(StrCat("does not cover ", address));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CertificateFiles> EnsureSelfSigned(const SelfSignedOptions& options) {
  const CertificateFiles files{StrCat(options.directory, "/apiserver.crt"),
                               StrCat(options.directory, "/apiserver.key")};
  const CertificateSpec spec = SpecFor(options);
  const auto cert = ReadSmallFile(files.cert_file);
  const auto key = ReadSmallFile(files.key_file);
  if (cert.ok() && key.ok()) {
    const absl::Status usable = CheckUsable({*cert, *key}, spec, options.now);
    ERR_clear_error();
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
