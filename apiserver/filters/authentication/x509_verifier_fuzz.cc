#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/time/time.h"
#include "apiserver/filters/authentication/x509_verifier.h"
#include "base/tls/testing.h"

// Input: a client's certificate, DER. No certificate passes that the CA did not sign.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto& verifier = *new std::shared_ptr<const steward::filters::X509Verifier>(
      *steward::filters::X509Verifier::Create(steward::TestCa("ca").cert_pem()));
  const std::string der(reinterpret_cast<const char*>(data), size);
  const steward::http::PeerCertificates alone{{der}};
  const steward::http::PeerCertificates chain{{der, der}};
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  if (verifier->Verify(alone, now).ok() || verifier->Verify(chain, now).ok()) std::abort();
  return 0;
}
