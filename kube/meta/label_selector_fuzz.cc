#include <cstdint>
#include <cstdlib>

#include "kube/meta/selector.h"

// Every selector that parses has a canonical form that parses to the same selector.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::kube::LabelSelector;
  const auto selector = LabelSelector::Parse({reinterpret_cast<const char*>(data), size});
  if (!selector.ok()) return 0;
  const std::string canonical = selector->ToString();
  const auto again = LabelSelector::Parse(canonical);
  if (!again.ok() || *again != *selector || again->ToString() != canonical) std::abort();
  selector->Matches({{"a", "b"}, {"c", "5"}});
  return 0;
}
