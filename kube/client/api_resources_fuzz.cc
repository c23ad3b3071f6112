// Parses any bytes to resources that have a name and a kind, or to an error; and to versions of
// groups, or to an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/client/api_resources.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto groups = steward::kube::ParseApiGroups(text);
  if (groups.ok() && groups->size() > steward::kube::kMaxApiGroups + text.size()) std::abort();
  const auto resources = steward::kube::ParseApiResources(text, {"example.com", "v1"});
  if (!resources.ok()) return 0;
  for (const steward::kube::ApiResource& resource : *resources) {
    if (resource.kind.empty() || resource.resource.empty()) std::abort();
    if (resource.resource.find('/') != std::string::npos) std::abort();
  }
  return 0;
}
