#include "base/tls/certificate_check.h"

#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/tls/certificate.h"

namespace steward {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

CertificateSpec Spec() {
  CertificateSpec spec;
  spec.common_name = "server";
  spec.dns_names = {"localhost"};
  spec.ip_addresses = {"127.0.0.1"};
  spec.server_auth = true;
  spec.not_before = kNow - absl::Hours(1);
  spec.not_after = kNow + absl::Hours(10);
  return spec;
}

class CertificateCheckTest : public ::testing::Test {
 protected:
  const PemKeyPair ca_ = *IssueCertificate(AuthoritySpec("ca", kNow));
  const PemKeyPair pair_ = *IssueCertificate(Spec(), &ca_);
};

TEST_F(CertificateCheckTest, WhatWasAskedForIsUsable) {
  EXPECT_OK(CheckCertificate(pair_, Spec(), &ca_, kNow, absl::Hours(9)));
  EXPECT_OK(CheckCertificate(pair_, Spec(), nullptr, kNow, absl::Hours(9)));
  EXPECT_OK(CheckCertificate(ca_, AuthoritySpec("ca", kNow), nullptr, kNow, absl::Hours(1000)));
}

TEST_F(CertificateCheckTest, SaysWhatIsWrong) {
  CertificateSpec other_name = Spec();
  other_name.dns_names.push_back("steward.example.com");
  CertificateSpec other_address = Spec();
  other_address.ip_addresses.push_back("10.0.0.1");
  CertificateSpec other_subject = Spec();
  other_subject.common_name = "admin";
  CertificateSpec authority = Spec();
  authority.is_ca = true;
  const PemKeyPair other_ca = *IssueCertificate(AuthoritySpec("ca", kNow));
  const PemKeyPair mixed = {pair_.cert_pem, ca_.key_pem};
  const PemKeyPair damaged = {"junk", pair_.key_pem};
  struct Case {
    const char* name;
    const PemKeyPair& pair;
    CertificateSpec wanted;
    const PemKeyPair& issuer;
    absl::Time now;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"name", pair_, other_name, ca_, kNow, "does not cover steward.example.com"},
      {"address", pair_, other_address, ca_, kNow, "does not cover 10.0.0.1"},
      {"subject", pair_, other_subject, ca_, kNow, "is not for admin"},
      {"leaf as authority", pair_, authority, ca_, kNow, "is no certificate authority"},
      {"key of another", mixed, Spec(), ca_, kNow, "matching certificate and key"},
      {"no certificate", damaged, Spec(), ca_, kNow, "reading the pair"},
      {"early", pair_, Spec(), ca_, kNow - absl::Hours(2), "not valid yet"},
      {"late", pair_, Spec(), ca_, kNow + absl::Hours(11), "expired"},
      {"soon late", pair_, Spec(), ca_, kNow + absl::Hours(9.5), "about to expire"},
      {"authority of the same name", pair_, Spec(), other_ca, kNow, "signed by another authority"},
      {"damaged issuer", pair_, Spec(), damaged, kNow, "reading the issuer"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::Status status =
        CheckCertificate(c.pair, c.wanted, &c.issuer, c.now, absl::Hours(1));
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.why));
  }
}

TEST(AddSubjectsTest, SortsNamesFromAddresses) {
  CertificateSpec spec;
  AddSubjects({"localhost", "", "10.0.0.1", "0.0.0.0", "::", "::1", "localhost", "10.0.0.1"}, spec);
  EXPECT_THAT(spec.dns_names, ElementsAre("localhost"));
  EXPECT_THAT(spec.ip_addresses, ElementsAre("10.0.0.1", "::1"));
}

}  // namespace
}  // namespace steward
