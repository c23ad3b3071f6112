// Reads any bytes as a tar: the reading ends, and no entry is larger than its header says.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/archive/tar_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kLimit = 1 << 20;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto reader = steward::TarReader::Over(bytes, {.free = 8 << 20, .ratio = 4});
  if (!reader.ok()) return 0;
  for (size_t i = 0; i < 1000; ++i) {
    const auto entry = (*reader)->Next();
    if (!entry.ok() || !entry->has_value()) return 0;
    if (!(*entry)->is_file) continue;
    std::string content;
    const bool whole = (*reader)->Read(kLimit, content).ok();
    if (content.size() > kLimit) std::abort();
    if (whole && static_cast<int64_t>(content.size()) != (*entry)->size) std::abort();
  }
  return 0;
}
