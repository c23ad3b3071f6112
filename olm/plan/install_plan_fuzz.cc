// The reader is total, and a progress that was written says so already.
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "olm/plan/install_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto value = steward::ParseJson(text);
  if (!value.ok() || !value->is_object()) return 0;
  boost::json::object& object = value->get_object();
  const auto plan = steward::olm::ReadInstallPlan(object);
  if (!plan.ok()) return 0;
  steward::olm::PlanProgress progress;
  progress.phase = steward::olm::kPlanInstalling;
  progress.condition = {false, "Because", "of this"};
  for (const auto& step : plan->steps) progress.steps.push_back({step.status, true});
  (void)steward::olm::SetProgress(*plan, progress, absl::UnixEpoch(), object);
  const auto again = steward::olm::ReadInstallPlan(object);
  if (!again.ok() || again->steps.size() != plan->steps.size()) std::abort();
  if (steward::olm::SetProgress(*again, progress, absl::UnixEpoch(), object)) std::abort();
  return 0;
}
