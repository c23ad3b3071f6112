// Reads any bytes as a file of manifests. Everything found has a place in the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/manifest/manifest_files.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

// A place is "a.yaml:12", with ", item 3" behind it for each list that the object is in.
void CheckPlace(std::string_view where, std::string_view text) {
  constexpr std::string_view kFile = "a.yaml:";
  Check(where.starts_with(kFile));
  size_t line = 0;
  for (const char c : where.substr(kFile.size())) {
    if (c < '0' || c > '9') break;
    line = line * 10 + static_cast<size_t>(c - '0');
  }
  Check(line >= 1 && line <= 1 + text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  steward::kube::Manifests manifests;
  steward::kube::ParseManifests("a.yaml", text, manifests);
  for (const steward::kube::ManifestObject& found : manifests.objects) {
    CheckPlace(found.where, text);
  }
  for (const steward::kube::ManifestProblem& problem : manifests.problems) {
    CheckPlace(problem.where, text);
    Check(!problem.what.empty());
  }
  return 0;
}
