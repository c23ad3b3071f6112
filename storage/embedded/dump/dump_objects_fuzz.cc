// Reads any bytes as a file of a dump: everything found has a place in it, and an object has what a
// store needs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "storage/embedded/dump/dump_objects.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

void CheckPlace(std::string_view where, std::string_view text) {
  constexpr std::string_view kFile = "a.yaml:";
  Check(where.starts_with(kFile));
  size_t line = 0;
  for (const char c : where.substr(kFile.size())) {
    if (c < '0' || c > '9') break;
    line = line * 10 + static_cast<size_t>(c - '0');
  }
  Check(line <= 2 + text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  steward::storage::DumpFile file;
  file.path = "a.yaml";
  file.text.assign(reinterpret_cast<const char*>(data), size);
  if (size % 2 == 0) file.place = steward::storage::PlaceOf("namespaces/a/core/pods.yaml");
  steward::storage::DumpObjects objects(file);
  steward::storage::DumpPart part;
  while (objects.Next(part)) {
  }
  for (const steward::storage::DumpObject& found : part.objects) {
    CheckPlace(found.where, file.text);
    Check(!found.name.name.empty() && !found.gvk.kind.empty() && !found.gvk.version.empty());
    Check(found.object.at("metadata").is_object());
  }
  for (const steward::storage::DumpProblem& problem : part.problems) {
    CheckPlace(problem.where, file.text);
    Check(!problem.what.empty());
  }
  return 0;
}
