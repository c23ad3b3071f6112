#include "apiserver/views/installed_operator/selection.h"

#include <string_view>

#include "kube/meta/selector.h"
#include "olm/copy.h"

namespace steward::views {

const std::string* SelectedNamespace(const rest::Selection& selection) {
  return selection.ns.empty() ? selection.fields.RequiredValue("metadata.namespace")
                              : &selection.ns;
}

const std::string* SelectedName(const rest::Selection& selection) {
  return selection.fields.RequiredValue("metadata.name");
}

bool FieldsSelect(const rest::Selection& selection, const Appearance& seen) {
  return selection.fields.Matches([&seen](std::string_view path) -> std::string_view {
    return path == "metadata.name" ? seen.csv->key.name : seen.ns->name;
  });
}

bool LabelsSelect(const rest::Selection& selection, const Appearance& seen) {
  if (selection.labels.empty()) return true;
  if (seen.own) return selection.labels.Matches(seen.csv->labels);
  kube::LabelMap labels = seen.csv->labels;
  labels.insert_or_assign(std::string(olm::kCopiedFromLabel), seen.csv->key.ns);
  return selection.labels.Matches(labels);
}

bool Selects(const rest::Selection& selection, const Appearance& seen) {
  return (selection.ns.empty() || selection.ns == seen.ns->name) && FieldsSelect(selection, seen) &&
         LabelsSelect(selection, seen);
}

}  // namespace steward::views
