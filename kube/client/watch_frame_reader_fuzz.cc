// Decodes any bytes, in pieces whose size the first byte sets, to events or an error; every event's
// object lies inside memory that it owns.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/client/watch_frame_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t piece = 1 + data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  steward::kube::WatchFrameReader reader(4096);
  while (!rest.empty()) {
    const std::string_view next = rest.substr(0, piece);
    reader.buffer().append(next);
    rest.remove_prefix(next.size());
    while (true) {
      const auto event = reader.Next();
      if (!event.ok()) return 0;
      if (!*event) break;
      const std::string_view json = (*event)->object.json;
      if (json.empty() || json.front() != '{' || json.back() != '}') std::abort();
      if ((*event)->resource_version.empty()) std::abort();
    }
  }
  (void)reader.Finish();
  return 0;
}
