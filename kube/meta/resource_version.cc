#include "kube/meta/resource_version.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::kube {
namespace {

[[maybe_unused]] constexpr uint64_t kMaxClock = 999'999'999'999;
constexpr uint64_t kMaxBack = 9'999'999;
constexpr size_t kSubDigits = 2;
constexpr size_t kMarkDigits = 1;
constexpr size_t kComponentDigits = 7;
constexpr size_t kTailDigits =
    kSubDigits + kMarkDigits + PackedVersion::kComponents * kComponentDigits;
constexpr size_t kMaxClockDigits = 12;

bool IsDigits(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// REQUIRES: `digits` are at most 19 digits.
uint64_t Number(std::string_view digits) {
  uint64_t n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

// Appends `n` behind leading zeros. REQUIRES: it has no more digits than `digits`.
void AppendDigits(uint64_t n, size_t digits, std::string& out) {
  out.resize(out.size() + digits, '0');
  for (size_t at = out.size(); n > 0; n /= 10) out[--at] = static_cast<char>('0' + n % 10);
}

uint64_t Stored(uint64_t clock, std::optional<uint64_t> component) {
  if (!component) return 0;
  // A component above the clock breaks the contract. It is stored as the clock, an older state than
  // the real one, because an older state does less harm than a newer one.
  const uint64_t back = clock - std::min(*component, clock);
  return kMaxBack - std::min(back, kMaxBack);
}

}  // namespace

bool IsResourceVersion(std::string_view text) {
  return !text.empty() && text.size() <= kMaxResourceVersionDigits && text.front() != '0' &&
         IsDigits(text);
}

absl::StatusOr<std::string> ParseResourceVersionParameter(std::string_view text) {
  if (text.empty() || text == "0" || IsResourceVersion(text)) return std::string(text);
  const std::string_view canonical =
      text.substr(std::min(text.find_first_not_of('0'), text.size()));
  if (IsDigits(canonical) && canonical.size() <= kMaxResourceVersionDigits) {
    return std::string(canonical);
  }
  return absl::InvalidArgumentError(
      StrCat("invalid resource version: resourceVersion: Invalid value: ", Quote(text),
             ": strconv.ParseUint: parsing ", Quote(text), ": invalid syntax"));
}

std::strong_ordering CompareResourceVersions(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::string Pack(const PackedVersion& version) {
  assert(version.clock >= 1 && version.clock <= kMaxClock);
  assert(version.sub < 100 && version.mark >= 0 && version.mark <= 9);
  std::string text;
  text.reserve(kMaxClockDigits + kTailDigits);
  StrAppend(&text, version.clock);
  AppendDigits(version.sub, kSubDigits, text);
  AppendDigits(static_cast<uint64_t>(version.mark), kMarkDigits, text);
  for (const std::optional<uint64_t>& component : version.components) {
    AppendDigits(Stored(version.clock, component), kComponentDigits, text);
  }
  return text;
}

absl::StatusOr<PackedVersion> Unpack(std::string_view text) {
  const auto foreign = [&] {
    return absl::InvalidArgumentError(
        StrCat("resource version ", Quote(text), " is not one of this API"));
  };
  if (!IsResourceVersion(text) || text.size() <= kTailDigits ||
      text.size() > kTailDigits + kMaxClockDigits) {
    return foreign();
  }
  const auto take = [&](size_t digits) {
    const uint64_t n = Number(text.substr(0, digits));
    text.remove_prefix(digits);
    return n;
  };
  const std::string_view whole = text;
  PackedVersion version;
  version.clock = take(text.size() - kTailDigits);
  version.sub = static_cast<uint32_t>(take(kSubDigits));
  version.mark = static_cast<int>(take(kMarkDigits));
  for (std::optional<uint64_t>& component : version.components) {
    const uint64_t stored = take(kComponentDigits);
    if (stored == 0) continue;
    const uint64_t back = kMaxBack - stored;
    if (back > version.clock) {
      text = whole;
      return foreign();
    }
    if (back < version.clock) component = version.clock - back;
  }
  return version;
}

}  // namespace steward::kube
