#include "olm/copied_rbac/rbac_object.h"

#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/status/macros.h"
#include "olm/cleanup/decode.h"
#include "olm/copy.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr std::string_view kComponentLabel = "operators.coreos.com/";

template <typename Visit>
void ForEachObject(const json::object& parent, std::string_view key, Visit visit) {
  const json::array* list = ArrayAt(parent, key);
  if (list == nullptr) return;
  for (const json::value& each : *list) {
    if (const json::object* object = each.if_object()) visit(*object);
  }
}

std::string TextAt(const json::object& parent, std::string_view key) {
  return std::string(StringAt(parent, key));
}

const json::object* At(const json::object& root, std::initializer_list<std::string_view> path) {
  const json::object* at = &root;
  for (const std::string_view key : path) {
    at = ObjectAt(*at, key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

PolicyRules RulesAt(const json::object& parent) {
  const json::array* rules = ArrayAt(parent, "rules");
  return rules == nullptr ? PolicyRules() : ReadPolicyRules(*rules);
}

}  // namespace

const kube::GroupVersionResource& ResourceOf(RbacKind kind) {
  return kind == RbacKind::kRole ? kRoles : kRoleBindings;
}

std::string_view NameOf(RbacKind kind) { return kind == RbacKind::kRole ? "Role" : "RoleBinding"; }

absl::StatusOr<StoredRbac> ReadRbac(RbacKind kind, std::string_view json) {
  StoredRbac stored;
  stored.kind = kind;
  ASSIGN_OR_RETURN(stored.facts, DecodeObjectFacts(json));
  ASSIGN_OR_RETURN(stored.object, ParseJsonObject(json));
  const json::object& root = stored.object;
  if (const json::object* metadata = ObjectAt(root, "metadata")) {
    ForEachObject(*metadata, "ownerReferences", [&stored](const json::object& owner) {
      stored.owners.push_back({TextAt(owner, "apiVersion"), TextAt(owner, "kind"),
                               TextAt(owner, "name"), TextAt(owner, "uid"),
                               BoolAt(owner, "controller"), BoolAt(owner, "blockOwnerDeletion")});
    });
    if (const json::object* annotations = ObjectAt(*metadata, "annotations")) {
      stored.unwanted_since = TextAt(*annotations, kUnwantedSinceAnnotation);
    }
  }
  if (kind == RbacKind::kRole) {
    stored.rules = RulesAt(root);
    return stored;
  }
  ForEachObject(root, "subjects", [&stored](const json::object& subject) {
    stored.subjects.push_back({TextAt(subject, "kind"), TextAt(subject, "apiGroup"),
                               TextAt(subject, "namespace"), TextAt(subject, "name")});
  });
  if (const json::object* role = ObjectAt(root, "roleRef")) {
    stored.role = {TextAt(*role, "apiGroup"), TextAt(*role, "kind"), TextAt(*role, "name")};
  }
  return stored;
}

absl::StatusOr<RbacSource> ReadRbacSource(std::string_view json) {
  RbacSource source;
  ASSIGN_OR_RETURN(source.facts, DecodeObjectFacts(json));
  ASSIGN_OR_RETURN(const json::object root, ParseJsonObject(json));
  CopyMarks marks{.ns = source.facts.key.ns, .reason = "", .operator_namespace_annotation = {}};
  if (const json::object* status = ObjectAt(root, "status")) {
    marks.reason = StringAt(*status, "reason");
  }
  marks.has_copied_from_label = source.facts.labels.contains(kCopiedFromLabel);
  if (const json::object* annotations = At(root, {"metadata", "annotations"})) {
    const std::string_view install = StringAt(*annotations, kOperatorNamespaceAnnotation);
    if (!install.empty()) marks.operator_namespace_annotation = install;
  }
  source.copied = IsCopied(marks);
  for (const auto& [key, value] : source.facts.labels) {
    if (!key.starts_with(kComponentLabel) || key.size() == kComponentLabel.size()) continue;
    source.operator_name = key.substr(kComponentLabel.size());
    break;
  }
  if (const json::object* strategy = At(root, {"spec", "install", "spec"})) {
    ForEachObject(*strategy, "permissions", [&source](const json::object& permission) {
      source.permissions.push_back({TextAt(permission, "serviceAccountName"), RulesAt(permission)});
    });
  }
  return source;
}

}  // namespace steward::olm
