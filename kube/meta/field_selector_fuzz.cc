#include <cstdint>
#include <cstdlib>

#include "kube/meta/selector.h"

// Every selector that parses has a text form that parses to the same selector.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::kube::FieldSelector;
  const auto selector = FieldSelector::Parse({reinterpret_cast<const char*>(data), size});
  if (!selector.ok()) return 0;
  const auto again = FieldSelector::Parse(selector->ToString());
  if (!again.ok() || again->ToString() != selector->ToString()) std::abort();
  if (again->terms().size() != selector->terms().size()) std::abort();
  selector->RequiredValue("metadata.name");
  return 0;
}
