#include "olm/alongside.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;

std::string AlongsideText(const kube::NamespacedName& csv) { return StrCat(csv.ns, "/", csv.name); }

std::string AlongsideKey(const kube::NamespacedName& csv) {
  // FNV-1a, as OLM does.
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : AlongsideText(csv)) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 0x100000001b3;
  }
  return StrCat(kAlongside, absl::StrFormat("%x", hash));
}

std::vector<kube::NamespacedName> InstalledAlongside(const json::object& annotations) {
  std::vector<kube::NamespacedName> csvs;
  for (const auto& member : annotations) {
    if (!View(member.key()).starts_with(kAlongside) || !member.value().is_string()) continue;
    const std::string_view text = View(member.value().get_string());
    const size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) continue;
    csvs.push_back({std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))});
  }
  return csvs;
}

}  // namespace steward::olm
