#include "plugin/bundle/checks/definition_checks.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"
#include "olm/payload/release_version.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

const BundleObject* CsvOf(const BundleFolder& bundle) {
  const auto found =
      std::find_if(bundle.manifests.begin(), bundle.manifests.end(), [](const BundleObject& each) {
        return olm::StepKindOf(kube::KindOf(each.object)) == olm::StepKind::kCsv;
      });
  return found == bundle.manifests.end() ? nullptr : &*found;
}

std::string_view SpecText(const json::object& csv, std::string_view key) {
  const json::object* spec = ObjectAt(csv, "spec");
  return spec == nullptr ? std::string_view() : StringAt(*spec, key);
}

bool Skips(const json::object& csv, std::string_view name) {
  const json::object* spec = ObjectAt(csv, "spec");
  const json::array* skips = spec == nullptr ? nullptr : ArrayAt(*spec, "skips");
  if (skips == nullptr) return false;
  return std::any_of(skips->begin(), skips->end(), [name](const json::value& each) {
    return each.is_string() && View(each.get_string()) == name;
  });
}

bool HasSkipRange(const json::object& csv) {
  const json::object* metadata = ObjectAt(csv, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  return annotations != nullptr && !StringAt(*annotations, "olm.skipRange").empty();
}

void CompareCsvs(const BundleObject& csv, const json::object& previous, Findings& findings) {
  const std::string before = olm::IdentityOf(previous).name;
  const std::string name = olm::IdentityOf(csv.object).name;
  if (name == before) {
    findings.Error(csv.file, StrCat("metadata.name: the previous bundle is ", name, ", too"));
    return;
  }
  if (SpecText(csv.object, "replaces") != before && !Skips(csv.object, before) &&
      !HasSkipRange(csv.object)) {
    findings.Hint(csv.file, StrCat("spec.replaces: neither it nor spec.skips names ", before,
                                   ", and there is no olm.skipRange"));
  }
  const auto from = olm::ReleaseVersion::Parse(SpecText(previous, "version"));
  const auto to = olm::ReleaseVersion::Parse(SpecText(csv.object, "version"));
  if (!from.ok() || !to.ok()) return;
  const olm::UpdateLevel level = olm::LevelOf(*from, *to);
  if (level == olm::UpdateLevel::kDowngrade || level == olm::UpdateLevel::kNone) {
    findings.Error(csv.file, StrCat("spec.version: ", to->ToString(), " does not come after ",
                                    from->ToString()));
  }
}

void CompareDefinitionObjects(const BundleObject& object, const json::object& previous,
                              Findings& findings) {
  absl::StatusOr<olm::Definition> live = olm::ReadDefinition(previous);
  const absl::StatusOr<olm::Definition> wanted = olm::ReadDefinition(object.object);
  if (!live.ok() || !wanted.ok()) return;
  // An installed definition of `previous` has stored objects in its storage version.
  if (live->stored_versions.empty()) live->stored_versions = {live->storage};
  const olm::DefinitionChange change = olm::CompareDefinitions(*live, *wanted);
  if (!change.refused.empty()) findings.Error(object.file, change.refused);
  for (const std::string& version : change.versions_that_go) {
    findings.Hint(object.file, StrCat("spec.versions: ", version, " is served no more"));
  }
}

bool Differs(const json::object& a, const json::object& b, std::string_view key) {
  const json::value* one = a.if_contains(key);
  const json::value* other = b.if_contains(key);
  if (one == nullptr || other == nullptr) return one != other;
  return *one != *other;
}

void CompareObjects(const BundleObject& object, const json::object& previous, Findings& findings) {
  switch (olm::StepKindOf(kube::KindOf(object.object))) {
    case olm::StepKind::kDefinition:
      return CompareDefinitionObjects(object, previous, findings);
    case olm::StepKind::kBinding:
      if (Differs(object.object, previous, "roleRef")) {
        findings.Error(object.file, "roleRef: no server lets anybody change it");
      }
      return;
    default:
      break;
  }
  if (BoolAt(previous, "immutable")) {
    for (const std::string_view key : {"data", "binaryData", "stringData"}) {
      if (!Differs(object.object, previous, key)) continue;
      findings.Error(object.file, StrCat(key, ": the previous one is immutable"));
    }
  }
  if (Differs(object.object, previous, "type") && StringAt(object.object, "kind") == "Secret") {
    findings.Error(object.file, "type: no server lets anybody change that of a Secret");
  }
}

}  // namespace

void CheckDefinition(const BundleObject& object, const olm::Definition& definition,
                     Findings& findings) {
  const std::string wanted = StrCat(definition.plural, ".", definition.group);
  if (definition.name != wanted) {
    findings.Refuse(object.file,
                    StrCat("metadata.name: must be ", wanted, ", not ", definition.name));
  }
  const json::object* spec = ObjectAt(object.object, "spec");
  const json::array* versions = spec == nullptr ? nullptr : ArrayAt(*spec, "versions");
  if (versions == nullptr) return;
  const bool v1 = StringAt(object.object, "apiVersion") == "apiextensions.k8s.io/v1";
  if (v1 && BoolAt(*spec, "preserveUnknownFields")) {
    findings.Refuse(object.file, "spec.preserveUnknownFields: must be false");
  }
  std::set<std::string_view> names;
  int stored = 0;
  for (size_t i = 0; i < versions->size(); ++i) {
    const json::object* version = (*versions)[i].if_object();
    if (version == nullptr) continue;
    const std::string_view name = StringAt(*version, "name");
    if (!names.insert(name).second) {
      findings.Refuse(object.file,
                      StrCat("spec.versions[", i, "].name: ", name, " is there twice"));
    }
    if (BoolAt(*version, "storage")) ++stored;
    const json::object* schema = ObjectAt(*version, "schema");
    if (v1 && (schema == nullptr || ObjectAt(*schema, "openAPIV3Schema") == nullptr)) {
      findings.Refuse(object.file,
                      StrCat("spec.versions[", i, "].schema.openAPIV3Schema: is missing"));
    }
  }
  if (stored != 1) {
    findings.Refuse(object.file, StrCat("spec.versions: one must be that of the storage, not ",
                                        stored == 0 ? "none" : "several"));
  }
}

void CheckUpgrade(const BundleFolder& bundle, const BundleFolder& previous, Findings& findings) {
  const BundleObject* csv = CsvOf(bundle);
  const BundleObject* before = CsvOf(previous);
  if (csv != nullptr && before != nullptr) CompareCsvs(*csv, before->object, findings);
  for (const BundleObject& old : previous.manifests) {
    const kube::GroupVersionKind kind = olm::ObjectKind(kube::KindOf(old.object));
    if (olm::StepKindOf(kind) == olm::StepKind::kCsv) continue;
    const std::string name = olm::IdentityOf(old.object).name;
    const auto same = std::find_if(
        bundle.manifests.begin(), bundle.manifests.end(), [&](const BundleObject& each) {
          const kube::GroupVersionKind its = olm::ObjectKind(kube::KindOf(each.object));
          return its.group == kind.group && its.kind == kind.kind &&
                 olm::IdentityOf(each.object).name == name;
        });
    if (same != bundle.manifests.end()) CompareObjects(*same, old.object, findings);
  }
}

}  // namespace steward::plugin
