#include "kube/meta/uuid.h"

#include <openssl/evp.h>

#include <array>
#include <cassert>
#include <memory>

namespace steward::kube {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr size_t kUuidBytes = 16;

bool IsDashPosition(size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The 16 bytes of a UUID's text; the text itself when it is not one.
std::string NamespaceBytes(std::string_view uuid) {
  if (uuid.size() != 36) return std::string(uuid);
  std::string bytes;
  for (size_t i = 0; i < uuid.size();) {
    if (IsDashPosition(i)) {
      if (uuid[i++] != '-') return std::string(uuid);
      continue;
    }
    const int high = HexValue(uuid[i]), low = HexValue(uuid[i + 1]);
    if (high < 0 || low < 0) return std::string(uuid);
    bytes += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return bytes;
}

}  // namespace

std::string UuidV5(std::string_view namespace_uuid, std::string_view name) {
  const std::string prefix = NamespaceBytes(namespace_uuid);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const bool hashed = context != nullptr &&
                      EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr) == 1 &&
                      EVP_DigestUpdate(context.get(), prefix.data(), prefix.size()) == 1 &&
                      EVP_DigestUpdate(context.get(), name.data(), name.size()) == 1 &&
                      EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  // SHA-1 for identifiers is present in every OpenSSL, FIPS providers included.
  assert(hashed);
  (void)hashed;
  digest[6] = (digest[6] & 0x0F) | 0x50;
  digest[8] = (digest[8] & 0x3F) | 0x80;
  std::string out;
  out.reserve(36);
  for (size_t i = 0; i < kUuidBytes; ++i) {
    if (IsDashPosition(out.size())) out += '-';
    out += kHex[digest[i] >> 4];
    out += kHex[digest[i] & 15];
  }
  return out;
}

}  // namespace steward::kube
