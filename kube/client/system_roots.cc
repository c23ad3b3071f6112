#include "kube/client/system_roots.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace steward::kube {
namespace {

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool IsThere(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace

const std::vector<std::string>& KnownRootFiles() {
  static const auto& files = *new std::vector<std::string>{
      "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL, Fedora
      "/etc/pki/tls/certs/ca-bundle.crt",                   // RHEL, older
      "/etc/ssl/ca-bundle.pem",                             // SUSE
      "/etc/ssl/cert.pem",                                  // Alpine
  };
  return files;
}

std::string FindRootFile(const std::string& own_folder, const std::vector<std::string>& files) {
  if (IsSet("SSL_CERT_FILE") || IsSet("SSL_CERT_DIR") || IsThere(own_folder)) return "";
  for (const std::string& file : files) {
    if (IsThere(file)) return file;
  }
  return "";
}

}  // namespace steward::kube
