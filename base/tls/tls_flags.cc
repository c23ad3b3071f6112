#include "base/tls/tls_flags.h"

#include <string_view>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

struct CipherSuite {
  std::string_view name;     // IANA's
  std::string_view openssl;  // OpenSSL's
  bool tls13 = false;
};

// Forward-secret AEAD ciphers, under Kubernetes' names.
constexpr CipherSuite kSuites[] = {
    {"TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256", true},
    {"TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", true},
    {"TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    // Names from before the RFC, which Kubernetes still accepts.
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
};

const CipherSuite* Find(std::string_view name) {
  for (const CipherSuite& suite : kSuites) {
    if (suite.name == name) return &suite;
  }
  return nullptr;
}

std::string Names() {
  std::string names;
  for (const CipherSuite& suite : kSuites) StrAppend(&names, names.empty() ? "" : ", ", suite.name);
  return names;
}

}  // namespace

void AddTlsFlags(CLI::App& app, TlsFlags& flags) {
  FlagAdder adder(app);
  adder.Text("--tls-min-version", flags.min_version,
             "Oldest TLS that is spoken: VersionTLS12 or VersionTLS13");
  adder.List("--tls-cipher-suites", flags.cipher_suites,
             StrCat("Cipher suites, the preferred first, any of: ", Names(),
                    "; empty: all of them. Those of TLS 1.3 stay where none is named"));
}

absl::StatusOr<ServerTlsOptions> ParseTlsFlags(const TlsFlags& flags) {
  ServerTlsOptions options;
  options.tls13_only = flags.min_version == "VersionTLS13";
  if (!options.tls13_only && flags.min_version != "VersionTLS12") {
    return absl::InvalidArgumentError(StrCat("--tls-min-version: \"", flags.min_version,
                                             "\" is neither VersionTLS12 nor VersionTLS13"));
  }
  if (flags.cipher_suites.empty()) return options;
  std::string tls12, tls13;
  for (const std::string& name : flags.cipher_suites) {
    const CipherSuite* suite = Find(name);
    if (suite == nullptr) {
      return absl::InvalidArgumentError(
          StrCat("--tls-cipher-suites: there is no \"", name, "\"; known are: ", Names()));
    }
    std::string& list = suite->tls13 ? tls13 : tls12;
    StrAppend(&list, list.empty() ? "" : ":", suite->openssl);
  }
  if (tls12.empty() && !options.tls13_only) {
    return absl::InvalidArgumentError(
        "--tls-cipher-suites: none of them is one of TLS 1.2; --tls-min-version=VersionTLS13 "
        "refuses that");
  }
  if (!tls12.empty()) options.tls12_ciphers = tls12;
  if (!tls13.empty()) options.tls13_ciphers = tls13;
  return options;
}

}  // namespace steward
