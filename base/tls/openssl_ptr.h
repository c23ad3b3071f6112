// Owning pointers for OpenSSL's C objects, and its error queue as text. Thread-safe: each thread
// has an error queue of its own.
#ifndef BASE_TLS_OPENSSL_PTR_H_
#define BASE_TLS_OPENSSL_PTR_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace steward {

template <auto kFree>
struct OpensslFree {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using EvpPkeyPtr = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, OpensslFree<X509_free>>;
using SslPtr = std::unique_ptr<SSL, OpensslFree<SSL_free>>;
using SslCtxPtr = std::unique_ptr<SSL_CTX, OpensslFree<SSL_CTX_free>>;

// Empties this thread's OpenSSL error queue and returns its oldest entry as text ("unknown error"
// when there is none).
std::string TakeOpensslError();

// kInvalidArgument "<what>: <TakeOpensslError()>".
absl::Status OpensslError(std::string_view what);

// A read-only BIO over `text`, which must outlive the BIO.
BioPtr ReadBio(std::string_view text);

}  // namespace steward

#endif  // BASE_TLS_OPENSSL_PTR_H_
