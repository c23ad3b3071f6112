// Reads any bytes as Warning headers, one a line. The kept warnings are bounded, and have no
// control characters.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/warnings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> warnings;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    steward::kube::AppendWarnings(line, warnings);
    rest.remove_prefix(line.size() == rest.size() ? line.size() : line.size() + 1);
  }
  if (warnings.size() > steward::kube::kMaxWarnings) std::abort();
  for (const std::string& text : warnings) {
    if (text.empty() || text.size() > steward::kube::kMaxWarningBytes) std::abort();
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') std::abort();
    }
  }
  return 0;
}
