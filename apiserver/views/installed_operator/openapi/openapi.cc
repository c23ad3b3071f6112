#include "apiserver/views/installed_operator/openapi/openapi.h"

namespace steward::views {

std::string_view InstalledOperatorSchema() {
  return
#include "apiserver/views/installed_operator/openapi/installed_operator.json.inc"
      ;
}

}  // namespace steward::views
