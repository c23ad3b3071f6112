#include "apiserver/views/installed_operator/object.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/views/virtual_resource/json_member.h"
#include "apiserver/views/virtual_resource/tombstone.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/uuid.h"
#include "olm/copy/content.h"
#include "olm/targets.h"

namespace steward::views {
namespace {

constexpr std::string_view kTypeMeta =
    R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"InstalledOperator","metadata":)";

std::string_view ModeText(const Appearance& seen) {
  const std::optional<olm::InstallMode> mode = InstallModeOf(seen);
  return mode ? olm::ToString(*mode) : "";
}

olm::SeenFrom SeenFrom(const Appearance& seen) {
  return seen.own ? olm::SeenFrom::kOwnNamespace : olm::SeenFrom::kElsewhere;
}

}  // namespace

std::string InstalledOperatorObject::OwnVersion() const {
  const std::optional<storage::Number> number = OwnNumber(seen_);
  return number ? number->ToString() : std::string();
}

void InstalledOperatorObject::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text().append(kTypeMeta);
  AppendMetadata(resource_version, out);
  out.text().append(R"(,"scope":)");
  AppendScope(out.text());
  out.text().push_back(',');
  olm::AppendSpec(*seen_.csv, out);
  out.text().push_back(',');
  olm::AppendStatus(*seen_.csv, SeenFrom(seen_), out);
  out.text().push_back('}');
}

void InstalledOperatorObject::AppendMetadata(std::string_view resource_version, Rope& rope) const {
  const olm::Csv& csv = *seen_.csv;
  std::string& out = rope.text();
  out.push_back('{');
  olm::AppendAnnotations(csv, rope);
  // The object has existed since both the operator and the namespace have existed.
  AppendMember("creationTimestamp", std::max(csv.created, seen_.ns->created), out);
  out.push_back(',');
  // The member that follows has a comma of its own.
  if (!olm::AppendLabels(csv, SeenFrom(seen_), rope)) out.pop_back();
  AppendMember("name", csv.key.name, out);
  AppendMember("namespace", seen_.ns->name, out);
  AppendMember("resourceVersion", resource_version, out);
  AppendMember("uid", kube::UuidV5(csv.uid, seen_.ns->uid), out);
  out.push_back('}');
}

void InstalledOperatorObject::AppendScope(std::string& out) const {
  const olm::Csv& csv = *seen_.csv;
  StrAppend(&out, R"({"cleanupOptedIn":)", csv.cleanup_opted_in ? "true" : "false");
  if (!seen_.hidden.empty()) {
    out.append(R"(,"conflicts":[)");
    for (const olm::Csv* hidden : seen_.hidden) {
      if (out.back() != '[') out.push_back(',');
      out.push_back('{');
      AppendMember("installNamespace", hidden->key.ns, out);
      AppendMember("message",
                   StrCat("another operator of this name, installed in namespace ", hidden->key.ns,
                          ", reaches this namespace too and is not shown"),
                   out);
      AppendMember("type", "NameCollision", out);
      out.push_back('}');
    }
    out.push_back(']');
  }
  if (const std::string_view mode = ModeText(seen_); !mode.empty()) {
    AppendMember("installMode", mode, out);
  }
  AppendMember("installNamespace", csv.key.ns, out);
  if (seen_.group != nullptr) AppendMember("operatorGroup", seen_.group->group->key.name, out);
  StrAppend(&out, R"(,"targeted":)", seen_.targeted ? "true" : "false", "}");
}

void InstalledOperatorObject::AppendCells(std::string& out) const {
  const olm::Csv& csv = *seen_.csv;
  out.push_back('[');
  for (std::string_view cell : {std::string_view(csv.key.name), std::string_view(csv.display_name),
                                std::string_view(csv.version), std::string_view(csv.release),
                                std::string_view(csv.replaces), std::string_view(csv.phase),
                                std::string_view(csv.key.ns), ModeText(seen_)}) {
    if (out.back() != '[') out.push_back(',');
    AppendJsonString(cell, out);
  }
  out.push_back(']');
}

std::unique_ptr<const rest::Object> InstalledOperatorTombstone(kube::NamespacedName key) {
  static const size_t columns = InstalledOperatorColumns().size();
  return std::make_unique<Tombstone>(kTypeMeta, columns, std::move(key));
}

std::vector<rest::Column> InstalledOperatorColumns() {
  return {
      {"Name", "string", "name", "The operator's ClusterServiceVersion", 0},
      {"Display", "string", "", "The operator's name for people", 0},
      {"Version", "string", "", "The operator's version", 0},
      {"Release", "string", "", "The release of this version", 0},
      {"Replaces", "string", "", "The ClusterServiceVersion that this one replaces", 0},
      {"Phase", "string", "", "Where the installation stands", 0},
      {"Install Namespace", "string", "", "The namespace in which the operator is installed", 1},
      {"Mode", "string", "",
       "How the operator is installed: OwnNamespace, SingleNamespace, MultiNamespace or "
       "AllNamespaces",
       1},
  };
}

}  // namespace steward::views
