// The check whether a client's selection includes an appearance. Pure functions.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_SELECTION_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_SELECTION_H_

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/installed_operator/projection.h"

namespace steward::views {

// The two parts of Selects. A caller can reuse the result of LabelsSelect for all appearances of
// one ClusterServiceVersion except that in its own namespace, because they have the same labels.
bool FieldsSelect(const rest::Selection& selection, const Appearance& seen);
bool LabelsSelect(const rest::Selection& selection, const Appearance& seen);
// Checks the appearance's namespace and name, and its labels as they are shown.
bool Selects(const rest::Selection& selection, const Appearance& seen);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_SELECTION_H_
