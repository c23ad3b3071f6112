// Certificate authorities and certificates made at run time, for tests. Thread-safe.
#ifndef BASE_TLS_TESTING_H_
#define BASE_TLS_TESTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace steward {

struct TestKeyPair {
  std::string cert_pem;
  std::string key_pem;
};

struct TestCertOptions {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  bool client_auth = true;
  bool server_auth = true;
  absl::Time not_before = absl::Now() - absl::Hours(1);
  absl::Time not_after = absl::Now() + absl::Hours(24);
};

// A root certificate with its key; ECDSA P-256, valid from one hour ago for ten years. A failure
// ends the process.
class TestCa {
 public:
  explicit TestCa(std::string_view common_name);

  const std::string& cert_pem() const { return pair_.cert_pem; }
  const std::string& key_pem() const { return pair_.key_pem; }

  // A leaf certificate with its own new key.
  TestKeyPair Issue(const TestCertOptions& options) const;
  // A CA signed by this one; its cert_pem() has its own certificate only.
  TestCa IssueCa(std::string_view common_name) const;

 private:
  TestCa() = default;

  TestKeyPair pair_;
};

// A certificate for "localhost" and 127.0.0.1, signed by itself.
TestKeyPair SelfSignedForTest();

}  // namespace steward

#endif  // BASE_TLS_TESTING_H_
