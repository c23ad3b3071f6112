// A certificate authority whose roots replace each other without a gap in trust. Values and pure
// functions.
#ifndef CONTROLLERS_CERTIFICATES_AUTHORITY_H_
#define CONTROLLERS_CERTIFICATES_AUTHORITY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/tls/certificate.h"
#include "base/tls/expiry.h"

namespace steward::controllers {

struct AuthorityTerms {
  absl::Duration life;  // of a root
  // The time for which a root is trusted before it signs. Long enough for a kubelet to bring a
  // Secret to a pod and for a process to read it, with a margin.
  absl::Duration overlap;
};

// A certificate that everybody trusts until it expires, with its key if it may sign.
struct Root {
  PemKeyPair pair;  // key_pem "" = it does not sign any more
  Validity validity;

  bool operator==(const Root& other) const { return pair == other.pair; }
};

// Returns the time by which a certificate of this life begins to be valid before it is made: other
// clocks may be behind ours.
absl::Duration Backdate(absl::Duration life);
// The moment at which two thirds of the life are over.
absl::Time DueAt(const Validity& validity);

//   founded ─► trusted ──overlap──► signs ──2/3 of its life──► the next one is trusted ─► … ─► ends
//
// A root is trusted from its creation until it expires. So a certificate is valid for a reader no
// matter whether it learns first of the certificate or of the new root.
class Authority {
 public:
  // Reads a Secret's data. Empty data is an authority without roots; kDataLoss when a certificate
  // or key cannot be read.
  static absl::StatusOr<Authority> Read(const std::map<std::string, std::string>& data);
  // The data of a Secret, from which Read makes the same authority: <number>.crt, <number>.key, and
  // ca.crt, the trusted certificates.
  std::map<std::string, std::string> Write() const;

  // Drops expired roots, makes the first root, or the next one when it is due, and drops the keys
  // of roots that a later one has replaced. `trusted`: certificates (PEM) that were trusted before
  // this authority existed; an authority without roots adopts them without keys. `spread`: every
  // reader was told of all roots.
  absl::Status Advance(const AuthorityTerms& terms, absl::Time now, std::string_view trusted,
                       bool spread);

  // The root that signs; null when none is valid. A root that readers were not told of yet signs
  // only if no other can.
  const Root* signer() const { return signer_ < 0 ? nullptr : &roots_[signer_]; }
  // True if certificates of an older root should be issued anew. False while the signer is too
  // young for all readers to know it.
  bool settled() const { return settled_; }
  // The trusted certificates, PEM, oldest first.
  std::string Bundle() const;
  // True if `bundle` contains every trusted certificate.
  bool IsIn(std::string_view bundle) const;

  const std::vector<Root>& roots() const { return roots_; }

 private:
  absl::Status Found(const AuthorityTerms& terms, absl::Time now);
  void Choose(const AuthorityTerms& terms, absl::Time now, bool spread);

  std::vector<Root> roots_;  // oldest first
  int first_ = 1;            // the number of roots_[0]
  int signer_ = -1;
  bool settled_ = false;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_AUTHORITY_H_
