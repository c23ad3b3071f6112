// Verification of client certificates against one set of CAs. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_X509_VERIFIER_H_
#define APISERVER_FILTERS_AUTHENTICATION_X509_VERIFIER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/http/message/message.h"

namespace steward::filters {

// The holder that a verified certificate names.
struct CertificateIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> uids;  // values of the subject attribute 1.3.6.1.4.1.57683.2
  std::string sha256;             // of the certificate, lower-case hex
  absl::Time not_after;           // the last moment of its own validity
};

// Verification follows Go (crypto/x509) with ExtKeyUsageClientAuth, which Kubernetes uses: every CA
// of the bundle is a trust anchor, self-signed or not; all certificates of the chain are within
// their validity; extended key usages, where present (RFC 5280 4.2.1.12: absent = any), include
// clientAuth or anyExtendedKeyUsage; issuers are CAs according to their basic constraints; SHA-1
// signatures do not count. Revocation lists are not used. OpenSSL's X509_V_FLAG_X509_STRICT (the
// full RFC 5280) is off, because it refuses CAs without key usage or key identifiers. Go accepts
// such CAs, and clusters have them.
//
// Immutable except for its caches: good verifications, and failures for a minute; at most 1024 of
// each, all dropped when the cache is full.
class X509Verifier {
 public:
  // `ca_pem`: one or more PEM certificates; other text between them is ignored. kInvalidArgument
  // without any, or when one is damaged.
  static absl::StatusOr<std::shared_ptr<const X509Verifier>> Create(std::string_view ca_pem);
  ~X509Verifier();

  // The leaf's identity when a chain over the presented intermediates ends at a CA at time `now`;
  // otherwise kUnauthenticated with the reason. Reads at most 11 certificates. Returns a kept
  // failure for up to a minute, even if a wrong clock caused it that was set right since.
  absl::StatusOr<std::shared_ptr<const CertificateIdentity>> Verify(
      const http::PeerCertificates& peer, absl::Time now) const;

  // True if a CA of `other` has the name and key of one of these CAs, or was issued below one: then
  // this verifier may accept certificates that `other` accepts.
  bool CoversCaOf(const X509Verifier& other) const;

 private:
  struct Impl;
  explicit X509Verifier(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_X509_VERIFIER_H_
