// Checks that the decoders are total and deterministic, and that every plan they read can be
// previewed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/json_text.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/plan_outlook.h"
#include "olm/preview/preview.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace olm = steward::olm;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  olm::ServedKinds served;
  const auto definition = olm::DecodeDefinition(text);
  if (definition.ok()) served.Add(**definition);
  olm::GroupChooser chooser;
  const auto group = olm::DecodePlanGroup(text);
  if (group.ok()) chooser.Add(**group);
  const auto plan = olm::DecodePlan(text);
  if (!plan.ok()) return 0;
  if (!(**plan == **olm::DecodePlan(text))) std::abort();
  const olm::PlanOutlook outlook = olm::PlanOutlook::Of(*plan, served, chooser.Choose());
  for (const bool gate : {false, true}) {
    const olm::PlanPreview preview = olm::PreviewOf(outlook, gate);
    if (preview.steps.size() != (*plan)->steps.size()) std::abort();
    std::string json;
    olm::AppendSteps(preview.steps, json);
    if (!steward::ParseJson(json, {.max_size = json.size()}).ok()) std::abort();
  }
  return 0;
}
