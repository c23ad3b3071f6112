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
  const std::array<uint8_t, 20> digest = Sha1({NamespaceBytes(namespace_uuid), name});
  std::array<uint8_t, kUuidBytes> bytes{};
  std::copy_n(digest.begin(), kUuidBytes, bytes.begin());
  return Format(bytes, 5);
}

}  // namespace steward::kube
