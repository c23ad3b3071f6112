#include <cstdint>
#include <cstdlib>

#include "base/yaml/field_line.h"
#include "base/yaml/yaml.h"

// Every text that parses can be written and read back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const steward::YamlDocument& document : steward::ParseYamlDocuments(text)) {
    if (!document.value.ok()) continue;
    std::string written;
    steward::WriteYaml(*document.value, written);
    // The written text may exceed the default limit, because aliases expand a small text.
    const auto again = steward::ParseYaml(written, {.max_size = written.size()});
    if (!again.ok() || *again != *document.value) std::abort();
  }
  (void)steward::ParseYaml(text);
  if (steward::LineOfField(text, {"a", "0"}) == 0) std::abort();
  return 0;
}
