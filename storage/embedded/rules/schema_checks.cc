#include "storage/embedded/rules/schema_checks.h"

#include <utility>

namespace steward::storage {

void AddSchemaCauses(const kube::Schema* schema, const boost::json::object& object,
                     const boost::json::object* stored, std::vector<kube::StatusCause>& causes) {
  if (schema == nullptr) return;
  for (kube::StatusCause& cause : schema->Validate(object, stored)) {
    causes.push_back(std::move(cause));
  }
}

}  // namespace steward::storage
