// The readers are total, and what they read is written once.
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json/json_text.h"
#include "olm/operator/component.h"
#include "olm/operator/component_label.h"
#include "olm/operator/operator_status.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto value = steward::ParseJson(text);
  if (!value.ok() || !value->is_object()) return 0;
  boost::json::object& object = value->get_object();
  (void)steward::olm::ReadSubscription(object);
  const auto component = steward::olm::ReadComponent(object);
  if (!component.ok()) return 0;
  for (const auto& name : component->operators) {
    // A name of a label is not cut any more.
    const auto cut = steward::olm::OperatorName(name);
    if (cut.ok() && steward::olm::OperatorName(*cut).value_or("") != *cut) std::abort();
  }
  const auto components = steward::olm::ComponentsOf(
      "reed", {{{"", "v1", "Kind"}, component->key, steward::olm::ReadConditions(object)}});
  (void)steward::olm::SetComponents(components, object);
  if (steward::olm::SetComponents(components, object)) std::abort();
  return 0;
}
