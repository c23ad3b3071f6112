#include "base/digest/digest.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

#include "base/log/log.h"

namespace steward {
namespace {

// A hash algorithm with its context, for one thread.
class Hasher {
 public:
  explicit Hasher(const char* name)
      : algorithm_(EVP_MD_fetch(nullptr, name, nullptr), &EVP_MD_free),
        context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (algorithm_ != nullptr && context_ != nullptr) return;
    Fail(name);
  }

  void Hash(std::initializer_list<std::string_view> pieces, unsigned char* out) {
    bool ok = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1;
    for (const std::string_view piece : pieces) {
      ok = ok && EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1;
    }
    ok = ok && EVP_DigestFinal_ex(context_.get(), out, nullptr) == 1;
    if (!ok) Fail(EVP_MD_get0_name(algorithm_.get()));
  }

 private:
  // Fail is never called in practice: every OpenSSL has these algorithms, FIPS providers included,
  // and hashing in memory fails only when memory runs out.
  [[noreturn]] static void Fail(const char* name) {
    log::Error("OpenSSL has no such digest", {{"digest", name}});
    std::abort();
  }

  const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm_;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::array<uint8_t, 20> Sha1(std::initializer_list<std::string_view> pieces) {
  thread_local Hasher hasher("SHA1");
  std::array<uint8_t, 20> digest;
  hasher.Hash(pieces, digest.data());
  return digest;
}

std::string Sha256(std::string_view bytes) {
  thread_local Hasher hasher("SHA256");
  std::string digest(32, '\0');
  hasher.Hash({bytes}, reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

}  // namespace steward
