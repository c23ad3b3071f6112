#include "kube/meta/names.h"

#include <algorithm>

namespace steward::kube {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

bool IsLowerAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// True for characters that form a label, of any length.
bool HasLabelForm(std::string_view s) {
  return !s.empty() && IsLowerAlphanumeric(s.front()) && IsLowerAlphanumeric(s.back()) &&
         std::all_of(s.begin(), s.end(), [](char c) { return c == '-' || IsLowerAlphanumeric(c); });
}

}  // namespace

bool IsDns1123Label(std::string_view s) { return s.size() <= kMaxLabel && HasLabelForm(s); }

bool IsDns1123Subdomain(std::string_view s) {
  if (s.size() > kMaxSubdomain) return false;
  while (true) {
    const size_t dot = s.find('.');
    if (!HasLabelForm(s.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    s.remove_prefix(dot + 1);
  }
}

bool IsPathSegmentName(std::string_view s) {
  return !s.empty() && s != "." && s != ".." && s.find_first_of("/%") == std::string_view::npos;
}

}  // namespace steward::kube
