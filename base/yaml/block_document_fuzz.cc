// Whatever the fast parser takes, the one of all YAML reads as the same value.
#include <cstdint>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "base/yaml/block_document.h"
#include "base/yaml/document.h"
#include "base/yaml/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Characters are checked before, and what this finds to be one document could be several.
  const auto documents = steward::ParseYamlDocuments(text);
  if (documents.size() != 1 || documents.front().line != 1) return 0;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x7F || (c < 0x20 && c != '\n' && c != '\t')) return 0;
  }
  const auto fast = steward::yaml::ParseBlockDocument(text, {});
  if (!fast.has_value()) return 0;
  const auto slow = steward::yaml::ParseDocument(text, 1, {});
  if (!slow.ok() || *slow != *fast) std::abort();
  return 0;
}
