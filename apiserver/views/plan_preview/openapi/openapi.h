// The OpenAPI schema of PlanPreview, for `kubectl explain` and other readers. A constant.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_OPENAPI_OPENAPI_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_OPENAPI_OPENAPI_H_

#include <string_view>

namespace steward::views {

// The OpenAPI v3 schema of the kind, a JSON object. Static storage.
std::string_view PlanPreviewSchema();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_OPENAPI_OPENAPI_H_
