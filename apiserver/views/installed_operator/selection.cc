#include "apiserver/views/installed_operator/selection.h"

#include <string>

#include "apiserver/views/virtual_resource/selection.h"
#include "kube/meta/selector.h"
#include "olm/copy.h"

namespace steward::views {

bool FieldsSelect(const rest::Selection& selection, const Appearance& seen) {
  return FieldsSelect(selection, seen.ns->name, seen.csv->key.name);
}

bool LabelsSelect(const rest::Selection& selection, const Appearance& seen) {
  if (selection.labels.empty()) return true;
  if (seen.own && seen.csv->component_labels.empty()) {
    return selection.labels.Matches(seen.csv->labels);
  }
  kube::LabelMap labels = seen.csv->labels;
  if (seen.own) {
    labels.insert(seen.csv->component_labels.begin(), seen.csv->component_labels.end());
  } else {
    labels.insert_or_assign(std::string(olm::kCopiedFromLabel), seen.csv->key.ns);
  }
  return selection.labels.Matches(labels);
}

bool Selects(const rest::Selection& selection, const Appearance& seen) {
  return (selection.ns.empty() || selection.ns == seen.ns->name) && FieldsSelect(selection, seen) &&
         LabelsSelect(selection, seen);
}

}  // namespace steward::views
