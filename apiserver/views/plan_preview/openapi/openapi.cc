#include "apiserver/views/plan_preview/openapi/openapi.h"

namespace steward::views {

std::string_view PlanPreviewSchema() {
  return
#include "apiserver/views/plan_preview/openapi/plan_preview.json.inc"
      ;
}

}  // namespace steward::views
