#include "apiserver/rest/encoding/warnings.h"

#include <algorithm>
#include <string_view>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::rest {
namespace {

constexpr size_t kMaxTotal = 4096;
constexpr size_t kMaxEach = 256;

}  // namespace

void AddWarnings(const std::vector<std::string>& warnings, http::Headers& headers) {
  std::vector<std::string_view> different;
  size_t total = 0;
  for (const std::string& warning : warnings) {
    if (warning.empty()) continue;
    if (std::find(different.begin(), different.end(), warning) != different.end()) continue;
    different.push_back(warning);
    total += warning.size();
  }
  const bool cut = total > kMaxTotal;
  size_t written = 0;
  for (std::string_view warning : different) {
    if (cut && written >= kMaxTotal) return;
    if (cut) warning = warning.substr(0, kMaxEach);
    written += warning.size();
    std::string quoted;
    AppendJsonString(warning, quoted);
    headers.Add("Warning", StrCat("299 - ", quoted));
  }
}

}  // namespace steward::rest
