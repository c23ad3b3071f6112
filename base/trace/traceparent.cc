#include "base/trace/traceparent.h"

#include <algorithm>
#include <cstddef>

namespace steward {
namespace {

// "00-<32>-<16>-<2>"
constexpr size_t kTraceId = 3;
constexpr size_t kTraceIdSize = 32;
constexpr size_t kParentId = 36;
constexpr size_t kParentIdSize = 16;
constexpr size_t kFlags = 53;
constexpr size_t kSize = 55;

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// An identifier of zeros only is not valid.
bool IsId(std::string_view text) {
  return IsHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::string ValidTraceparent(std::string_view value) {
  if (value.size() < kSize || value[kTraceId - 1] != '-' || value[kParentId - 1] != '-' ||
      value[kFlags - 1] != '-') {
    return "";
  }
  const std::string_view version = value.substr(0, 2);
  if (!IsHex(version) || version == "ff") return "";
  // Values of later versions begin like this one.
  if (value.size() > kSize && (version == "00" || value[kSize] != '-')) return "";
  if (!IsId(value.substr(kTraceId, kTraceIdSize)) ||
      !IsId(value.substr(kParentId, kParentIdSize)) || !IsHex(value.substr(kFlags, 2))) {
    return "";
  }
  return "00" + std::string(value.substr(2, kSize - 2));
}

}  // namespace steward
