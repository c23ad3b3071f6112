#include "kube/meta/uuid.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>

#include "base/text/hex.h"

namespace steward::kube {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr size_t kUuidBytes = 16;

bool IsDashPosition(size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

// The 16 bytes of a UUID's text; the text itself when it is not one.
std::string NamespaceBytes(std::string_view uuid) {
  if (uuid.size() != 36) return std::string(uuid);
  std::string bytes;
  for (size_t i = 0; i < uuid.size();) {
    if (IsDashPosition(i)) {
      if (uuid[i++] != '-') return std::string(uuid);
      continue;
    }
    const int high = HexDigit(uuid[i]), low = HexDigit(uuid[i + 1]);
    if (high < 0 || low < 0) return std::string(uuid);
    bytes += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return bytes;
}

std::string Format(std::array<uint8_t, kUuidBytes> bytes, int version) {
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0F) | (version << 4));
  bytes[8] = (bytes[8] & 0x3F) | 0x80;
  std::string out;
  out.reserve(36);
  for (const uint8_t byte : bytes) {
    if (IsDashPosition(out.size())) out += '-';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

}  // namespace

std::string UuidV4(std::array<uint8_t, 16> random) { return Format(random, 4); }

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
  std::array<uint8_t, kUuidBytes> bytes{};
  std::copy_n(digest.begin(), kUuidBytes, bytes.begin());
  return Format(bytes, 5);
}

}  // namespace steward::kube
