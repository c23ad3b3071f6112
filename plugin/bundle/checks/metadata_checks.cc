#include "plugin/bundle/checks/metadata_checks.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "olm/payload/version_range.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

// An annotation of a bundle, and the value that it must have ("" = any).
struct Annotation {
  std::string_view key;
  std::string_view value;
};
constexpr std::array<Annotation, 5> kRequired = {{
    {"operators.operatorframework.io.bundle.mediatype.v1", "registry+v1"},
    {"operators.operatorframework.io.bundle.manifests.v1", "manifests/"},
    {"operators.operatorframework.io.bundle.metadata.v1", "metadata/"},
    {"operators.operatorframework.io.bundle.package.v1", ""},
    {"operators.operatorframework.io.bundle.channels.v1", ""},
}};
constexpr char kDefaultChannel[] = "operators.operatorframework.io.bundle.channel.default.v1";

void CheckAnnotations(const BundleObject& file, const json::object& annotations,
                      Findings& findings) {
  for (const Annotation& each : kRequired) {
    const std::string_view value = StringAt(annotations, each.key);
    if (value.empty()) {
      findings.Error(file.file, StrCat("annotations: ", each.key, " is missing"));
    } else if (!each.value.empty() && value != each.value) {
      findings.Error(file.file,
                     StrCat("annotations: ", each.key, " must be ", each.value, ", not ", value));
    }
  }
  if (annotations.contains(kDefaultChannel) && StringAt(annotations, kDefaultChannel).empty()) {
    findings.Error(file.file, StrCat("annotations: ", kDefaultChannel, " is empty"));
  }
}

// The members that a dependency of this type must have, each a text.
struct Dependency {
  std::string_view type;
  std::array<std::string_view, 3> texts;  // "" = no further member
};
constexpr std::array<Dependency, 3> kDependencies = {{
    {"olm.gvk", {"group", "kind", "version"}},
    {"olm.package", {"packageName", "version", ""}},
    {"olm.label", {"label", "", ""}},
}};

void CheckDependency(const BundleObject& file, const std::string& at, const json::value& entry,
                     Findings& findings) {
  if (!entry.is_object()) return findings.Error(file.file, StrCat(at, ": must be a mapping"));
  const json::object& dependency = entry.get_object();
  const std::string_view type = StringAt(dependency, "type");
  const json::object* value = ObjectAt(dependency, "value");
  if (value == nullptr) return findings.Error(file.file, StrCat(at, ".value: must be a mapping"));
  for (const Dependency& known : kDependencies) {
    if (known.type != type) continue;
    for (const std::string_view text : known.texts) {
      if (text.empty() || !StringAt(*value, text).empty()) continue;
      findings.Error(file.file, StrCat(at, ".value.", text, ": is missing"));
    }
    const std::string_view range = StringAt(*value, "version");
    if (type != "olm.package" || range.empty()) return;
    const absl::Status parsed = olm::VersionRange::Parse(range).status();
    if (!parsed.ok()) {
      findings.Error(file.file, StrCat(at, ".value.version: ", std::string(parsed.message())));
    }
    return;
  }
  if (type != "olm.constraint") {
    findings.Error(file.file,
                   StrCat(at, ".type: OLM knows no dependency of the type \"", type, "\""));
  }
}

}  // namespace

void CheckMetadata(const BundleFolder& bundle, Findings& findings) {
  bool annotated = false;
  bool depends = false;
  for (const BundleObject& file : bundle.metadata) {
    const json::object* annotations = ObjectAt(file.object, "annotations");
    if (annotations != nullptr && !annotated) {
      annotated = true;
      CheckAnnotations(file, *annotations, findings);
    }
    const json::value* list = file.object.if_contains("dependencies");
    if (list == nullptr || depends) continue;
    depends = true;
    if (!list->is_array()) {
      findings.Error(file.file, "dependencies: must be a list");
      continue;
    }
    for (size_t i = 0; i < list->get_array().size(); ++i) {
      CheckDependency(file, StrCat("dependencies[", i, "]"), list->get_array()[i], findings);
    }
  }
  if (!annotated) {
    findings.AddAt("metadata", Finding::Severity::kError,
                   "no file has annotations (annotations.yaml): catalogs refuse the bundle");
  }
}

}  // namespace steward::plugin
