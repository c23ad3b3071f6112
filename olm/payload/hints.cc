#include "olm/payload/hints.h"

#include <map>
#include <optional>
#include <string>

#include "base/text/str_cat.h"
#include "olm/payload/task_graph.h"

namespace steward::olm {
namespace {

std::string ComponentOf(const PayloadManifest& manifest) {
  const std::optional<PayloadName> name = ReadPayloadName(manifest.file);
  return name ? name->component : "";
}

// Kinds that operators bring by themselves, so that their being applied says nothing of operands.
bool IsOperand(const PayloadManifest& manifest) {
  const std::string& group = manifest.gvk.group;
  return manifest.gvk.kind == "CustomResourceDefinition" ||
         (group.find('.') != std::string::npos && !group.ends_with(".k8s.io") &&
          manifest.gvk.kind != "ClusterOperator");
}

}  // namespace

std::vector<PayloadFault> HintsOf(const std::vector<PayloadManifest>& manifests,
                                  const ClusterChoices& choices) {
  std::map<std::string, std::string> deleted_namespaces;  // where each is deleted
  std::map<std::string, std::string> operands;            // by component: one that is applied
  for (const PayloadManifest& each : manifests) {
    if (each.deletes && each.identity.IsNamespace()) {
      deleted_namespaces[each.identity.name] = each.where;
    }
    const std::string component = ComponentOf(each);
    if (!each.deletes && !component.empty() && IsOperand(each)) {
      operands.emplace(component, StrCat(each.identity.ToString(), " (", each.where, ")"));
    }
  }
  std::vector<PayloadFault> hints;
  for (const PayloadManifest& each : manifests) {
    const std::string what = each.identity.ToString();
    if (each.deletes) {
      if (const auto reason = ReasonToLeaveOut(each, choices)) {
        hints.push_back({each.where, StrCat(what, " is not deleted: ", *reason)});
      }
    }
    const auto ns = deleted_namespaces.find(each.identity.ns);
    if (!each.identity.ns.empty() && ns != deleted_namespaces.end()) {
      hints.push_back(
          {each.where, StrCat(what, " lies in the namespace that ", ns->second,
                              each.deletes ? " deletes, and goes with it" : " deletes")});
    }
    const auto operand = operands.find(ComponentOf(each));
    if (each.deletes && each.gvk.group == "apps" && each.gvk.kind == "Deployment" &&
        operand != operands.end()) {
      hints.push_back({each.where, StrCat(what, " is deleted, and ", operand->second,
                                          " of its component stays: nobody would look after it")});
    }
  }
  return hints;
}

}  // namespace steward::olm
