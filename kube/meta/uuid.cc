#include "kube/meta/uuid.h"

#include <algorithm>
#include <array>

#include "base/digest/digest.h"
#include "base/text/hex.h"

namespace steward::kube {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr size_t kUuidBytes = 16;

bool IsDashPosition(size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

using UuidBytes = std::array<char, kUuidBytes>;

// The 16 bytes of a UUID's text, written to `bytes`. If `uuid` is no UUID, its text itself.
std::string_view NamespaceBytes(std::string_view uuid, UuidBytes& bytes) {
  if (uuid.size() != 36) return uuid;
  size_t length = 0;
  int sign = 0;  // below 0 if a character is no digit
  for (size_t i = 0; i < uuid.size(); i += 2) {
    if (IsDashPosition(i)) {
      if (uuid[i++] != '-') return uuid;
    }
    const int high = HexDigit(uuid[i]), low = HexDigit(uuid[i + 1]);
    sign |= high | low;
    bytes[length++] = static_cast<char>(high * 16 + low);
  }
  if (sign < 0) return uuid;
  return {bytes.data(), length};
}

std::string Format(std::array<uint8_t, kUuidBytes> bytes, int version) {
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0F) | (version << 4));
  bytes[8] = (bytes[8] & 0x3F) | 0x80;
  std::string out(36, '-');
  size_t at = 0;
  for (const uint8_t byte : bytes) {
    if (IsDashPosition(at)) ++at;
    out[at++] = kHex[byte >> 4];
    out[at++] = kHex[byte & 15];
  }
  return out;
}

}  // namespace

std::string UuidV4(std::array<uint8_t, 16> random) { return Format(random, 4); }

std::string UuidV5(std::string_view namespace_uuid, std::string_view name) {
  UuidBytes space;
  const std::array<uint8_t, 20> digest = Sha1({NamespaceBytes(namespace_uuid, space), name});
  std::array<uint8_t, kUuidBytes> bytes{};
  std::copy_n(digest.begin(), kUuidBytes, bytes.begin());
  return Format(bytes, 5);
}

}  // namespace steward::kube
