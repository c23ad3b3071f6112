// Reads any bytes as an object: all results lie within them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apiserver/stored/columns.h"
#include "apiserver/stored/json_object.h"
#include "base/clock/clock.h"
#include "kube/client/raw_object.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const steward::stored::Columns columns({});
  const steward::stored::JsonObject object(steward::kube::OwnedRawObject(std::string(input)),
                                           columns, steward::Clock::Real());
  steward::Rope json_rope, metadata_rope;
  object.AppendJson("", json_rope);
  object.AppendMetadata("", metadata_rope);
  const std::string json = json_rope.Flatten();
  const std::string metadata = metadata_rope.Flatten();
  std::string cells;
  object.AppendCells(cells);
  if (json != input) std::abort();
  if (metadata != "{}" && input.find(metadata) == std::string_view::npos) std::abort();
  if (!metadata.starts_with('{') || !metadata.ends_with('}')) std::abort();
  if (object.name().size() + object.ns().size() > input.size()) std::abort();
  (void)object.HasAnnotation("a");
  return 0;
}
