// The objections of a schema to an object. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_SCHEMA_CHECKS_H_
#define STORAGE_EMBEDDED_RULES_SCHEMA_CHECKS_H_

#include <boost/json/object.hpp>
#include <vector>

#include "kube/meta/status.h"
#include "kube/schema/schema.h"

namespace steward::storage {

// Appends the causes that Schema::Validate finds to `causes`. A null `schema` finds none.
void AddSchemaCauses(const kube::Schema* schema, const boost::json::object& object,
                     const boost::json::object* stored, std::vector<kube::StatusCause>& causes);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_SCHEMA_CHECKS_H_
