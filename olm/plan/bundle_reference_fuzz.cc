// The readers of steps and of bundles are total.
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/json_text.h"
#include "olm/plan/bundle_reference.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  steward::olm::PlanStep step;
  step.manifest = text;
  (void)steward::olm::ReadStepManifest(step);
  const auto value = steward::ParseJson(text);
  if (value.ok() && value->is_object()) (void)steward::olm::ReadBundle(value->get_object());
  return 0;
}
