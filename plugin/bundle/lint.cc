#include "plugin/bundle/lint.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/flags/flag_adder.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"
#include "olm/csv_content/csv_content.h"
#include "olm/plan/bundle.h"
#include "olm/plan/definition_change.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"
#include "olm/plan/step_object.h"
#include "plugin/bundle/checks/csv_checks.h"
#include "plugin/bundle/checks/definition_checks.h"
#include "plugin/bundle/checks/metadata_checks.h"
#include "plugin/bundle/checks/object_checks.h"
#include "plugin/bundle/findings.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

using olm::ManifestIdentity;
using olm::StepKind;
using Severity = Finding::Severity;

class Linter {
 public:
  explicit Linter(const BundleFolder& bundle) : bundle_(bundle), findings_(bundle.findings) {}

  std::vector<Finding> Run(const BundleFolder* previous) {
    for (const BundleObject& manifest : bundle_.manifests) LookAt(manifest);
    if (csvs_.empty())
      findings_.AddAt("manifests", Severity::kRefused, "there is no ClusterServiceVersion");
    for (const BundleObject* csv : csvs_) {
      CheckCsvInBundle(*csv, bundle_, definitions_, findings_);
    }
    CheckMetadata(bundle_, findings_);
    for (const ManifestIdentity& entry : bundle_.declared.entries()) LookAtEntry(entry);
    if (previous != nullptr) CheckUpgrade(bundle_, *previous, findings_);
    if (!findings_.refuses()) {
      const absl::Status steps =
          olm::StepsOf(bundle_.Objects(), bundle_.declared, "default").status();
      if (!steps.ok()) {
        findings_.AddAt("manifests", Severity::kRefused, std::string(steps.message()));
      }
    }
    std::vector<Finding> all = findings_.all();
    std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
      return a.severity != Severity::kHint && b.severity == Severity::kHint;
    });
    return all;
  }

 private:
  void LookAt(const BundleObject& manifest) {
    const kube::GroupVersionKind said = kube::KindOf(manifest.object);
    const kube::GroupVersionKind gvk = olm::ObjectKind(said);
    seen_.emplace(olm::IdentityOf(manifest.object), manifest.file);
    const StepKind kind = olm::StepKindOf(said);
    if (gvk.version.empty() || (kind == StepKind::kCsv && said.version.empty())) {
      findings_.Refuse(manifest.file,
                       StrCat("apiVersion: is missing (the kind is ", said.kind, ")"));
      return;
    }
    if (kind == StepKind::kUnsupported) {
      findings_.Refuse(manifest.file,
                       StrCat("kind: ", said.kind, " in ", said.ApiVersion(),
                              " is none that a plan installs: the plan would be invalid"));
      return;
    }
    if (said != gvk) {
      // This may be a custom resource whose kind only looks like one of OLM's.
      const bool foreign = kind != StepKind::kCsv && !said.group.empty() && said.group != gvk.group;
      findings_.Add(
          manifest.file, foreign ? Severity::kError : Severity::kHint,
          StrCat("apiVersion: ", said.version.empty() ? "is missing" : said.ApiVersion(), "; the ",
                 gvk.kind, " is installed as one of ", gvk.ApiVersion(), ", as by OLM"));
    }
    if (kind == StepKind::kCsv) LookAtCsv(manifest);
    const absl::StatusOr<json::object> object = olm::StepObject(manifest.object, gvk, "", {});
    if (!object.ok()) {
      findings_.Refuse(manifest.file, std::string(object.status().message()));
      return;
    }
    CheckObject(manifest, findings_);
    if (kind == StepKind::kDefinition) LookAtDefinition(manifest);
    LookAtDropped(manifest, *object);
  }

  void LookAtCsv(const BundleObject& manifest) {
    if (!csvs_.empty()) {
      findings_.Refuse(manifest.file, "there is another ClusterServiceVersion: a bundle has one");
    }
    csvs_.push_back(&manifest);
    for (const std::string& problem : olm::CsvContentProblems(manifest.object)) {
      findings_.Refuse(manifest.file, problem);
    }
    CheckCsv(manifest, findings_);
  }

  void LookAtDefinition(const BundleObject& manifest) {
    absl::StatusOr<olm::Definition> definition = olm::ReadDefinition(manifest.object);
    if (!definition.ok()) {
      findings_.Refuse(manifest.file, std::string(definition.status().message()));
      return;
    }
    CheckDefinition(manifest, *definition, findings_);
    definitions_.push_back(*std::move(definition));
  }

  // Hints at fields that an installation leaves out.
  void LookAtDropped(const BundleObject& manifest, const json::object& installed) {
    const json::object* before = ObjectAt(manifest.object, "metadata");
    const json::object* after = ObjectAt(installed, "metadata");
    for (const char* list : {"finalizers", "ownerReferences"}) {
      const json::array* value = ArrayAt(*before, list);
      if (value == nullptr || value->empty()) continue;
      findings_.Hint(manifest.file, StrCat("metadata.", list, ": is not installed"));
    }
    for (const char* map : {"labels", "annotations"}) {
      const json::object* said = ObjectAt(*before, map);
      const json::object* kept = ObjectAt(*after, map);
      for (const auto& member : said == nullptr ? json::object() : *said) {
        const json::value* value = kept == nullptr ? nullptr : kept->if_contains(member.key());
        if (value != nullptr && *value == member.value()) continue;
        findings_.Hint(manifest.file,
                       StrCat("metadata.", map, ": ", View(member.key()), " is not installed"));
      }
    }
  }

  void LookAtEntry(const ManifestIdentity& entry) {
    const auto [file, field] = PlaceOf(entry);
    const std::string what = StrCat(field, ": the optional manifest ", entry.ToString());
    const kube::GroupVersionKind any_version = {entry.group, "v1", entry.kind};
    if (!olm::CanBeOptional(any_version)) {
      findings_.Hint(file, StrCat(what, WhyNotOptional(any_version)));
      return;
    }
    if (!seen_.contains(entry)) {
      findings_.Hint(file, StrCat(what, " is not among the manifests", NearMiss(entry)));
      return;
    }
    const bool supplied =
        std::any_of(definitions_.begin(), definitions_.end(), [&entry](const auto& definition) {
          return definition.group == entry.group && definition.kind == entry.kind;
        });
    if (supplied) {
      findings_.Hint(file, StrCat(what, " is of an API that the bundle itself brings"));
    }
  }

  // The file and the field that declare the owned API `entry`.
  std::pair<std::string, std::string> PlaceOf(const ManifestIdentity& entry) const {
    for (const BundleObject& file : bundle_.with_properties) {
      const json::array* properties = ArrayAt(file.object, "properties");
      for (size_t i = 0; properties != nullptr && i < properties->size(); ++i) {
        const json::object* property = (*properties)[i].if_object();
        const json::object* value = property == nullptr ? nullptr : ObjectAt(*property, "value");
        const json::array* list = value == nullptr ? nullptr : ArrayAt(*value, "manifests");
        for (size_t j = 0; list != nullptr && j < list->size(); ++j) {
          const json::object* each = (*list)[j].if_object();
          if (each == nullptr || StringAt(*each, "kind") != entry.kind ||
              StringAt(*each, "name") != entry.name || StringAt(*each, "namespace") != entry.ns ||
              !StringAt(*each, "group").starts_with(entry.group)) {
            continue;
          }
          return {file.file, StrCat("properties[", i, "].value.manifests[", j, "]")};
        }
      }
    }
    return {"metadata", "properties"};
  }

  static std::string_view WhyNotOptional(const kube::GroupVersionKind& gvk) {
    if (olm::IsNeverOptional(gvk)) return " is of a kind that is never optional";
    if (olm::StepKindOf(gvk) == StepKind::kUnsupported) {
      return " is of a kind that no plan installs";
    }
    return " has no effect: its kind is installed in another way";
  }

  std::string NearMiss(const ManifestIdentity& entry) const {
    for (const auto& [identity, file] : seen_) {
      if (identity.kind != entry.kind || identity.name != entry.name) continue;
      return StrCat("; did you mean ", identity.ToString(), " in ", file, "?");
    }
    return "";
  }

  const BundleFolder& bundle_;
  std::map<ManifestIdentity, std::string> seen_;
  std::vector<olm::Definition> definitions_;
  std::vector<const BundleObject*> csvs_;
  Findings findings_;
};

class LintCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", folder_, "Folder of the bundle, with manifests/ and metadata/")
        ->required();
    FlagAdder flags(app);
    flags.Switch("--strict", strict_, "Hints are errors, too");
    app.add_option("--upgrade-from", previous_,
                   "Folder of the bundle before: say what an upgrade could not change");
  }

  StatusTask Run(Session& session) override {
    CO_ASSIGN_OR_RETURN(const BundleFolder bundle, ReadBundleFolder(folder_));
    std::optional<BundleFolder> previous;
    if (!previous_.empty()) {
      CO_ASSIGN_OR_RETURN(previous, ReadBundleFolder(previous_));
    }
    const std::vector<Finding> findings = LintBundle(bundle, previous ? &*previous : nullptr);
    json::array list;
    int64_t failing = 0;
    bool refused = false;
    for (const Finding& finding : findings) {
      const bool hint = finding.severity == Severity::kHint;
      const bool fails = strict_ || !hint;
      if (fails) ++failing;
      refused = refused || finding.severity == Severity::kRefused;
      const char* severity = hint ? "hint" : "error";
      session.terminal.Line(StrCat(finding.where, ": ", severity, ": ", finding.what),
                            fails ? Style::kBad : Style::kWarning);
      list.push_back(json::object{
          {"where", finding.where}, {"severity", severity}, {"message", finding.what}});
    }
    session.document["findings"] = std::move(list);
    session.document["installable"] = !refused;
    if (failing > 0) {
      co_return absl::InvalidArgumentError(
          StrCat("the bundle has ", CountText(failing, "error"),
                 refused ? "" : ", and can be installed all the same"));
    }
    session.terminal.Line(
        StrCat("The bundle is in order: ",
               CountText(static_cast<int64_t>(bundle.manifests.size()), "manifest")));
    co_return absl::OkStatus();
  }

 private:
  std::string folder_;
  std::string previous_;
  bool strict_ = false;
};

}  // namespace

std::vector<Finding> LintBundle(const BundleFolder& bundle, const BundleFolder* previous) {
  return Linter(bundle).Run(previous);
}

absl::Status WhyNotInstalled(const BundleFolder& bundle) {
  for (const Finding& finding : LintBundle(bundle)) {
    if (finding.severity != Severity::kRefused) continue;
    return absl::InvalidArgumentError(
        StrCat("the bundle cannot be installed: ", finding.where, ": ", finding.what));
  }
  return absl::OkStatus();
}

KnownCommand KnownBundleLint() {
  return {.name = "lint",
          .description = "Say what is wrong with a bundle, or probably not meant",
          .report = "BundleLint",
          .examples = {{"Check a bundle in its author's folder", "bundle lint ./bundle"}},
          .needs_cluster = false,
          .make = [] { return std::make_unique<LintCommand>(); }};
}

}  // namespace steward::plugin
