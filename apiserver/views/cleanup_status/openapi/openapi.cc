#include "apiserver/views/cleanup_status/openapi/openapi.h"

namespace steward::views {

std::string_view CleanupStatusSchema() {
  return
#include "apiserver/views/cleanup_status/openapi/cleanup_status.json.inc"
      ;
}

}  // namespace steward::views
