#include "apiserver/discovery/meta_schemas.h"

namespace steward::discovery {

std::string_view MetaSchemas() {
  return
#include "apiserver/discovery/meta_schemas.json.inc"
      ;
}

std::string_view WriteSchemas() {
  return
#include "apiserver/discovery/write_schemas.json.inc"
      ;
}

}  // namespace steward::discovery
