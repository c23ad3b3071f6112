#include "apiserver/views/virtual_resource/selection.h"

#include <cstddef>

#include "kube/meta/selector.h"

namespace steward::views {

const std::string* SelectedNamespace(const rest::Selection& selection) {
  return selection.ns.empty() ? selection.fields.RequiredValue("metadata.namespace")
                              : &selection.ns;
}

const std::string* SelectedName(const rest::Selection& selection) {
  return selection.fields.RequiredValue("metadata.name");
}

bool FieldsSelect(const rest::Selection& selection, std::string_view ns, std::string_view name) {
  return selection.fields.Matches([ns, name](std::string_view path) -> std::string_view {
    return path == "metadata.name" ? name : ns;
  });
}

bool KeySelected(const rest::Selection& selection, const kube::NamespacedName& key) {
  return (selection.ns.empty() || selection.ns == key.ns) &&
         FieldsSelect(selection, key.ns, key.name);
}

int LabelLooks(const rest::Selection& selection) {
  constexpr size_t kRequirementsPerLook = 8;
  return static_cast<int>(selection.labels.requirements().size() / kRequirementsPerLook);
}

}  // namespace steward::views
