// The reader of definitions is total, and nothing goes where nothing changes.
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/json_text.h"
#include "olm/plan/definition_change.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = steward::ParseJson(text);
  if (!value.ok() || !value->is_object()) return 0;
  std::string refused;
  (void)steward::olm::IsEstablished(value->get_object(), &refused);
  const auto definition = steward::olm::ReadDefinition(value->get_object());
  if (!definition.ok()) return 0;
  if (!steward::olm::CompareDefinitions(*definition, *definition).versions_that_go.empty()) {
    std::abort();
  }
  return 0;
}
