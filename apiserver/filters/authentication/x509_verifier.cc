#include "apiserver/filters/authentication/x509_verifier.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/digest/digest.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "base/tls/expiry.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/subject.h"

namespace steward::filters {
namespace {

constexpr size_t kMaxCached = 1024;
constexpr int kMaxDepth = 10;
constexpr size_t kMaxChain = kMaxDepth + 1;
constexpr absl::Duration kFailureKept = absl::Minutes(1);
constexpr char kUidOid[] = "1.3.6.1.4.1.57683.2";

void FreeChain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }

using StorePtr = std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>>;
using StoreCtxPtr = std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>>;
using ChainPtr = std::unique_ptr<STACK_OF(X509), OpensslFree<FreeChain>>;
using ObjectPtr = std::unique_ptr<ASN1_OBJECT, OpensslFree<ASN1_OBJECT_free>>;

absl::StatusOr<StorePtr> ReadCas(std::string_view pem) {
  StorePtr store(X509_STORE_new());
  BioPtr in = ReadBio(pem);
  if (store == nullptr || in == nullptr) return OpensslError("reading CA certificates");
  int count = 0;
  for (;;) {
    X509Ptr ca(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (ca == nullptr) break;
    if (X509_STORE_add_cert(store.get(), ca.get()) != 1) return OpensslError("keeping a CA");
    ++count;
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end) return OpensslError("a CA certificate does not parse");
  ERR_clear_error();
  if (count == 0) return absl::InvalidArgumentError("no CA certificate in the PEM data");
  return store;
}

absl::StatusOr<X509Ptr> ReadDer(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const auto* end = bytes + der.size();
  X509Ptr certificate(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  if (certificate == nullptr || bytes != end) {
    ERR_clear_error();
    return absl::UnauthenticatedError("the client's certificate does not parse");
  }
  return certificate;
}

// An absent extension restricts nothing.
bool AllowsClientAuth(X509* certificate) {
  if ((X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) == 0) return true;
  return (X509_get_extended_key_usage(certificate) & (XKU_SSL_CLIENT | XKU_ANYEKU)) != 0;
}

// OpenSSL alone also accepts the key usage keyCertSign, or an old Netscape extension, as the mark
// of a CA; Go requires basic constraints, except of a root of X.509 version 1, which has no
// extensions.
bool MayIssue(X509* certificate, bool is_root) {
  if (X509_check_ca(certificate) == 1) return true;
  return is_root && X509_get_version(certificate) < X509_VERSION_3;
}

std::shared_ptr<const CertificateIdentity> IdentityOf(X509* leaf, std::string_view der) {
  auto identity = std::make_shared<CertificateIdentity>();
  CertificateSubject subject = SubjectOf(leaf);
  identity->common_name = std::move(subject.common_name);
  identity->organizations = std::move(subject.organizations);
  const ObjectPtr uid_type(OBJ_txt2obj(kUidOid, 1));
  if (uid_type != nullptr) identity->uids = SubjectValues(leaf, uid_type.get());
  identity->sha256 = absl::BytesToHexString(Sha256(der));
  identity->not_after = ExpiryOf(leaf);
  return identity;
}

struct Validity {
  absl::Time from = absl::InfinitePast();
  absl::Time until = absl::InfiniteFuture();
};

absl::Time BeginOf(const X509* certificate) {
  tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &parts) != 1) return absl::InfiniteFuture();
  return absl::FromTM(parts, absl::UTCTimeZone());
}

// The time during which all certificates of the chain are valid. A time that cannot be read makes
// it empty.
Validity ValidityOf(const STACK_OF(X509) * chain) {
  Validity validity;
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    const X509* certificate = sk_X509_value(chain, i);
    validity.from = std::max(validity.from, BeginOf(certificate));
    validity.until = std::min(validity.until, ExpiryOf(certificate));
  }
  return validity;
}

// True when name and key are equal, as in renewed certificates of one CA.
bool SameCa(const X509* a, const X509* b) {
  return X509_NAME_cmp(X509_get_subject_name(a), X509_get_subject_name(b)) == 0 &&
         EVP_PKEY_eq(X509_get0_pubkey(a), X509_get0_pubkey(b)) == 1;
}

// Null when the store's object is no certificate.
X509* CertificateAt(const STACK_OF(X509_OBJECT) * objects, int i) {
  return X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
}

struct Verified {
  std::shared_ptr<const CertificateIdentity> identity;
  Validity validity;
};

struct Failure {
  absl::Status why;
  absl::Time at;
};

}  // namespace

struct X509Verifier::Impl {
  StorePtr store;
  Mutex mutex;
  absl::flat_hash_map<std::string, Verified> cache ABSL_GUARDED_BY(mutex);
  // Kept apart, so that failing clients displace only one another.
  absl::flat_hash_map<std::string, Failure> failures ABSL_GUARDED_BY(mutex);

  // OK with null when no result is kept.
  absl::StatusOr<std::shared_ptr<const CertificateIdentity>> Cached(const std::string& key,
                                                                    absl::Time now) {
    MutexLock lock(&mutex);
    if (const auto found = cache.find(key); found != cache.end()) {
      const Validity& validity = found->second.validity;
      if (validity.from <= now && now <= validity.until) return found->second.identity;
    }
    if (const auto found = failures.find(key); found != failures.end()) {
      const Failure& failure = found->second;
      if (failure.at <= now && now < failure.at + kFailureKept) return failure.why;
    }
    return nullptr;
  }
  void KeepFailure(const std::string& key, Failure failure) {
    MutexLock lock(&mutex);
    if (failures.size() >= kMaxCached) failures.clear();
    failures.insert_or_assign(key, std::move(failure));
  }
  void Keep(const std::string& key, Verified verified) {
    MutexLock lock(&mutex);
    if (cache.size() >= kMaxCached) cache.clear();
    cache.insert_or_assign(key, std::move(verified));
  }

  absl::StatusOr<Verified> VerifyChain(const http::PeerCertificates& peer, absl::Time now) const;
  bool Covers(X509* ca) const;
};

bool X509Verifier::Impl::Covers(X509* ca) const {
  const STACK_OF(X509_OBJECT)* objects = X509_STORE_get0_objects(store.get());
  for (int i = 0; i < sk_X509_OBJECT_num(objects); ++i) {
    const X509* own = CertificateAt(objects, i);
    if (own != nullptr && SameCa(own, ca)) return true;
  }
  const StoreCtxPtr context(X509_STORE_CTX_new());
  if (context == nullptr || X509_STORE_CTX_init(context.get(), store.get(), ca, nullptr) != 1) {
    return true;  // cannot be told apart from a covered CA
  }
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context.get()),
                              X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME);
  const bool covered = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  return covered;
}

absl::StatusOr<Verified> X509Verifier::Impl::VerifyChain(const http::PeerCertificates& peer,
                                                         absl::Time now) const {
  ASSIGN_OR_RETURN(const X509Ptr leaf, ReadDer(peer.der[0]));
  ChainPtr intermediates(sk_X509_new_null());
  for (size_t i = 1; i < peer.der.size(); ++i) {
    ASSIGN_OR_RETURN(X509Ptr certificate, ReadDer(peer.der[i]));
    if (sk_X509_push(intermediates.get(), certificate.get()) > 0) (void)certificate.release();
  }
  StoreCtxPtr context(X509_STORE_CTX_new());
  if (context == nullptr ||
      X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), intermediates.get()) != 1) {
    return OpensslError("preparing a verification");
  }
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_depth(rules, kMaxDepth);
  X509_VERIFY_PARAM_set_auth_level(rules, 1);  // keys and digests of 80 bits and more: no SHA-1
  X509_VERIFY_PARAM_set_time(rules, absl::ToTimeT(now));
  const int verified = X509_verify_cert(context.get());
  ERR_clear_error();
  if (verified != 1) {
    return absl::UnauthenticatedError(
        absl::StrCat("the client's certificate does not verify: ",
                     X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()))));
  }
  const STACK_OF(X509)* chain = X509_STORE_CTX_get0_chain(context.get());
  const int length = sk_X509_num(chain);
  for (int i = 0; i < length; ++i) {
    X509* certificate = sk_X509_value(chain, i);
    if (!AllowsClientAuth(certificate)) {
      return absl::UnauthenticatedError(
          "the client's certificate is not for client authentication");
    }
    if (i > 0 && !MayIssue(certificate, i + 1 == length)) {
      return absl::UnauthenticatedError(
          "the client's certificate was issued by one that is no CA's");
    }
  }
  return Verified{IdentityOf(leaf.get(), peer.der[0]), ValidityOf(chain)};
}

X509Verifier::X509Verifier(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
X509Verifier::~X509Verifier() = default;

absl::StatusOr<std::shared_ptr<const X509Verifier>> X509Verifier::Create(std::string_view ca_pem) {
  auto impl = std::make_unique<Impl>();
  ASSIGN_OR_RETURN(impl->store, ReadCas(ca_pem));
  return std::shared_ptr<const X509Verifier>(new X509Verifier(std::move(impl)));
}

absl::StatusOr<std::shared_ptr<const CertificateIdentity>> X509Verifier::Verify(
    const http::PeerCertificates& peer, absl::Time now) const {
  if (peer.der.empty()) return absl::UnauthenticatedError("no client certificate");
  if (peer.der.size() > kMaxChain) {
    return absl::UnauthenticatedError(
        absl::StrCat("the client presents more than ", kMaxChain, " certificates"));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const CertificateIdentity> identity,
                   impl_->Cached(peer.digest, now));
  if (identity != nullptr) return identity;
  absl::StatusOr<Verified> verified = impl_->VerifyChain(peer, now);
  if (!verified.ok()) {
    impl_->KeepFailure(peer.digest, {verified.status(), now});
    return std::move(verified).status();
  }
  impl_->Keep(peer.digest, *verified);
  return std::move(verified->identity);
}

bool X509Verifier::CoversCaOf(const X509Verifier& other) const {
  const STACK_OF(X509_OBJECT)* objects = X509_STORE_get0_objects(other.impl_->store.get());
  for (int i = 0; i < sk_X509_OBJECT_num(objects); ++i) {
    X509* ca = CertificateAt(objects, i);
    if (ca != nullptr && impl_->Covers(ca)) return true;
  }
  return false;
}

}  // namespace steward::filters
