#include "olm/payload/hints.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "olm/payload/contradictions.h"
#include "olm/payload/protected_objects.h"
#include "olm/payload/task_graph.h"

namespace steward::olm {
namespace {

constexpr std::string_view kAnnotations = "metadata.annotations";

std::string ComponentOf(const PayloadManifest& manifest) {
  const std::optional<PayloadName> name = ReadPayloadName(manifest.file);
  return name ? name->component : "";
}

// True for definitions and custom resources: while a payload applies one, its operator is needed.
// False for kinds of Kubernetes and ClusterOperators, because any operator brings such objects.
bool IsOperand(const PayloadManifest& manifest) {
  const std::string& group = manifest.gvk.group;
  return manifest.gvk.kind == "CustomResourceDefinition" ||
         (group.find('.') != std::string::npos && !group.ends_with(".k8s.io") &&
          manifest.gvk.kind != "ClusterOperator");
}

// True for a key that somebody may have meant as kPayloadDelete: equal but for case and blanks.
bool IsLikeTheAnnotation(std::string_view key) {
  size_t at = 0;
  for (const char c : key) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (at == kPayloadDelete.size()) return false;
    if (std::tolower(static_cast<unsigned char>(c)) != kPayloadDelete[at++]) return false;
  }
  return at == kPayloadDelete.size();
}

// Describes the first member that is like the annotation but is not the annotation itself.
std::optional<std::string> NearMiss(const boost::json::value& value, const std::string& path) {
  if (const boost::json::array* list = value.if_array()) {
    for (size_t i = 0; i < list->size(); ++i) {
      if (auto found = NearMiss((*list)[i], StrCat(path, "[", i, "]"))) return found;
    }
  }
  const boost::json::object* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  for (const auto& [key, member] : *object) {
    const std::string_view name = View(key);
    const bool is_it = path == kAnnotations && name == kPayloadDelete;
    if (!is_it && IsLikeTheAnnotation(name)) return StrCat(path, " has \"", name, "\"");
    if (auto found = NearMiss(member, StrCat(path, path.empty() ? "" : ".", name))) return found;
  }
  return std::nullopt;
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
  const std::vector<ClusterChoices> clusters = ClustersToldApart(manifests, choices);
  std::vector<PayloadFault> hints;
  for (const PayloadManifest& each : manifests) {
    const std::string what = each.identity.ToString();
    if (each.deletes && std::none_of(clusters.begin(), clusters.end(), [&](const auto& choices) {
          return !ReasonToLeaveOut(each, choices);
        })) {
      hints.push_back(
          {each.where, StrCat(what, " is not deleted: ", *ReasonToLeaveOut(each, choices))});
    }
    if (const auto place = NearMiss(each.object, "")) {
      hints.push_back({each.where, StrCat(what, ": ", *place, ", which asks for no removal: only ",
                                          kAnnotations, " ", kPayloadDelete, " does")});
    }
    const auto ns = deleted_namespaces.find(each.identity.ns);
    if (each.deletes && !each.identity.ns.empty() && ns != deleted_namespaces.end()) {
      hints.push_back({each.where, StrCat(what, " lies in the namespace that ", ns->second,
                                          " deletes, and goes with it")});
    }
    if (each.deletes && DefinesOlm(each.identity)) {
      hints.push_back({each.where, StrCat(what, " is one of OLM's: while there are operators, it ",
                                          "is not deleted unless --allow-olm-deletes is given")});
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
