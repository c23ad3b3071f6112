// The syntax of objects' names, with Kubernetes' explanations of errors. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_NAME_SYNTAX_H_
#define STORAGE_EMBEDDED_RULES_NAME_SYNTAX_H_

#include <string>
#include <string_view>
#include <vector>

#include "storage/embedded/rules/kind_rules.h"

namespace steward::storage {

// The complaints about `name`; empty when it is valid. `prefix` is true for a generateName, to
// which a suffix will be added.
std::vector<std::string> NameProblems(NameForm form, std::string_view name, bool prefix);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_NAME_SYNTAX_H_
