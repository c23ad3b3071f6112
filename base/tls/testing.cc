#include "base/tls/testing.h"

#include <cstdio>
#include <cstdlib>

#include "base/tls/certificate.h"

namespace steward {
namespace {

TestKeyPair Make(const CertificateSpec& spec, const TestKeyPair* issuer) {
  PemKeyPair issuer_pair;
  if (issuer != nullptr) issuer_pair = {issuer->cert_pem, issuer->key_pem};
  auto pair = IssueCertificate(spec, issuer != nullptr ? &issuer_pair : nullptr);
  if (!pair.ok()) {
    std::fprintf(stderr, "cannot make a test certificate: %s\n", pair.status().ToString().c_str());
    std::abort();
  }
  return {std::move(pair->cert_pem), std::move(pair->key_pem)};
}

}  // namespace

TestCa::TestCa(std::string_view common_name)
    : pair_(Make(AuthoritySpec(common_name, absl::Now()), nullptr)) {}

TestKeyPair TestCa::Issue(const TestCertOptions& options) const {
  CertificateSpec spec;
  spec.common_name = options.common_name;
  spec.organizations = options.organizations;
  spec.dns_names = options.dns_names;
  spec.ip_addresses = options.ip_addresses;
  spec.client_auth = options.client_auth;
  spec.server_auth = options.server_auth;
  spec.not_before = options.not_before;
  spec.not_after = options.not_after;
  return Make(spec, &pair_);
}

TestCa TestCa::IssueCa(std::string_view common_name) const {
  TestCa ca;
  ca.pair_ = Make(AuthoritySpec(common_name, absl::Now()), &pair_);
  return ca;
}

TestKeyPair SelfSignedForTest() {
  CertificateSpec spec;
  spec.common_name = "localhost";
  spec.dns_names = {"localhost"};
  spec.ip_addresses = {"127.0.0.1"};
  spec.server_auth = true;
  spec.not_before = absl::Now() - absl::Hours(1);
  spec.not_after = absl::Now() + absl::Hours(24);
  return Make(spec, nullptr);
}

}  // namespace steward
