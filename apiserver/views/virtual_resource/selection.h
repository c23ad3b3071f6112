// What a selection says about keys.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_SELECTION_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_SELECTION_H_

#include <string>
#include <string_view>

#include "apiserver/rest/resource.h"

namespace steward::views {

// The one namespace that is selected, by path or by field; null = all.
const std::string* SelectedNamespace(const rest::Selection& selection);
// The one name; null = all.
const std::string* SelectedName(const rest::Selection& selection);

// By field selectors alone.
bool FieldsSelect(const rest::Selection& selection, std::string_view ns, std::string_view name);

// What matching its labels once costs, in looks at an object: clients choose how many requirements
// there are.
int LabelLooks(const rest::Selection& selection);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_SELECTION_H_
