// The effect of a selection on keys. Pure functions.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_SELECTION_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_SELECTION_H_

#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "apiserver/rest/resource/resource.h"
#include "kube/meta/names.h"

namespace steward::views {

// The only namespace that is selected, by path or by field; null = all.
const std::string* SelectedNamespace(
    const rest::Selection& selection ABSL_ATTRIBUTE_LIFETIME_BOUND);
// The only name that is selected; null = all.
const std::string* SelectedName(const rest::Selection& selection ABSL_ATTRIBUTE_LIFETIME_BOUND);

// Checks field selectors alone.
bool FieldsSelect(const rest::Selection& selection, std::string_view ns, std::string_view name);

// Checks namespace and field selectors, which is everything that a key decides.
bool KeySelected(const rest::Selection& selection, const kube::NamespacedName& key);

// The cost of matching an object's labels, as a number of looks. It grows with the requirements,
// whose number clients choose.
int LabelLooks(const rest::Selection& selection);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_SELECTION_H_
