// A server's description of one of its resources: names, scope, and printed columns. Plain values.
#ifndef KUBE_META_RESOURCE_TYPE_H_
#define KUBE_META_RESOURCE_TYPE_H_

#include <string>
#include <vector>

#include "kube/meta/names.h"

namespace steward::kube {

// A column of the Table form (CustomResourceColumnDefinition).
struct PrinterColumn {
  std::string name;
  std::string type;    // string, integer, number, boolean, date
  std::string format;  // "" or, say, "name"
  std::string description;
  int priority = 0;       // > 0 = shown by `-o wide` only
  std::string json_path;  // ".spec.version", as in a CustomResourceDefinition

  bool operator==(const PrinterColumn&) const = default;
};

// One served version of a resource.
struct ResourceType {
  GroupVersionKind gvk;
  std::string list_kind;  // "WidgetList"
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  bool status_subresource = false;
  bool custom = false;  // defined by a CustomResourceDefinition
  // The columns without Name, which is always the first, and without the Age that is added when
  // there are no others.
  std::vector<PrinterColumn> columns;
  // The OpenAPI v3 schema of the kind as a JSON object; "" = unknown.
  std::string schema;

  GroupVersionResource gvr() const { return {gvk.group, gvk.version, plural}; }
  bool operator==(const ResourceType&) const = default;
};

}  // namespace steward::kube

#endif  // KUBE_META_RESOURCE_TYPE_H_
