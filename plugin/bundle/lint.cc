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
#include "olm/plan/definition_change.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"
#include "olm/plan/step_object.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

using olm::ManifestIdentity;
using olm::StepKind;

class Linter {
 public:
  explicit Linter(const BundleFolder& bundle) : bundle_(bundle) {}

  std::vector<Finding> Run() {
    for (const kube::ManifestProblem& problem : bundle_.problems) {
      Error(problem.where, problem.what);
    }
    for (const kube::ManifestObject& manifest : bundle_.manifests) LookAt(manifest);
    if (csvs_ == 0) Error("manifests", "there is no ClusterServiceVersion");
    for (const ManifestIdentity& entry : bundle_.declared.entries()) LookAtEntry(entry);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return !a.hint && b.hint; });
    return std::move(findings_);
  }

 private:
  void Error(std::string where, std::string what) {
    findings_.push_back({std::move(where), false, std::move(what)});
  }
  void Hint(std::string where, std::string what) {
    findings_.push_back({std::move(where), true, std::move(what)});
  }

  void LookAt(const kube::ManifestObject& manifest) {
    const kube::GroupVersionKind gvk = kube::KindOf(manifest.object);
    const ManifestIdentity identity = olm::IdentityOf(manifest.object);
    seen_.emplace(identity, manifest.where);
    // A plan puts all of them into its own namespace, whichever theirs is.
    const auto [first, is_new] = objects_.emplace(
        ManifestIdentity{identity.group, identity.kind, "", identity.name}, manifest.where);
    if (!is_new) {
      Error(manifest.where, StrCat(identity.ToString(), " stands also in ", first->second));
    }
    const StepKind kind = olm::StepKindOf(gvk);
    if (kind == StepKind::kUnsupported) {
      Error(manifest.where, StrCat(gvk.kind, " in ", gvk.ApiVersion(),
                                   " is no kind that a plan installs: the plan would be invalid"));
      return;
    }
    if (kind == StepKind::kCsv && ++csvs_ > 1) {
      Error(manifest.where, "there is another ClusterServiceVersion: a bundle has one");
    }
    const absl::StatusOr<json::object> object =
        olm::StepObject(manifest.object, olm::ObjectKind(gvk), "", {});
    if (!object.ok()) {
      Error(manifest.where, std::string(object.status().message()));
      return;
    }
    if (kind == StepKind::kDefinition) {
      absl::StatusOr<olm::Definition> definition = olm::ReadDefinition(manifest.object);
      if (definition.ok()) {
        definitions_.push_back(*std::move(definition));
      } else {
        Error(manifest.where, std::string(definition.status().message()));
      }
    }
    LookAtDropped(manifest, *object);
  }

  // What an installation leaves out.
  void LookAtDropped(const kube::ManifestObject& manifest, const json::object& installed) {
    const json::object* before = ObjectAt(manifest.object, "metadata");
    const json::object* after = ObjectAt(installed, "metadata");
    for (const char* list : {"finalizers", "ownerReferences"}) {
      const json::array* value = ArrayAt(*before, list);
      if (value == nullptr || value->empty()) continue;
      Hint(manifest.where, StrCat("metadata.", list, " is not installed"));
    }
    for (const char* map : {"labels", "annotations"}) {
      const json::object* said = ObjectAt(*before, map);
      const json::object* kept = ObjectAt(*after, map);
      for (const auto& member : said == nullptr ? json::object() : *said) {
        const json::value* value = kept == nullptr ? nullptr : kept->if_contains(member.key());
        if (value != nullptr && *value == member.value()) continue;
        Hint(manifest.where,
             StrCat("metadata.", map, ".", View(member.key()), " is not installed"));
      }
    }
  }

  void LookAtEntry(const ManifestIdentity& entry) {
    const std::string where =
        bundle_.properties_at.empty() ? "metadata" : bundle_.properties_at.front();
    const std::string what = StrCat("the optional manifest ", entry.ToString());
    const kube::GroupVersionKind any_version = {entry.group, "v1", entry.kind};
    if (!olm::CanBeOptional(any_version)) {
      Hint(where, StrCat(what, WhyNotOptional(any_version)));
      return;
    }
    if (!seen_.contains(entry)) {
      Hint(where, StrCat(what, " is not among the manifests", NearMiss(entry)));
      return;
    }
    const bool supplied =
        std::any_of(definitions_.begin(), definitions_.end(), [&entry](const auto& definition) {
          return definition.group == entry.group && definition.kind == entry.kind;
        });
    if (supplied) Hint(where, StrCat(what, " is of an API that the bundle itself brings"));
  }

  static std::string_view WhyNotOptional(const kube::GroupVersionKind& gvk) {
    if (olm::IsNeverOptional(gvk)) return " is of a kind that is never optional";
    if (olm::StepKindOf(gvk) == StepKind::kUnsupported)
      return " is of a kind that no plan installs";
    return " has no effect: its kind is installed in another way";
  }

  std::string NearMiss(const ManifestIdentity& entry) const {
    for (const auto& [identity, where] : seen_) {
      if (identity.kind != entry.kind || identity.name != entry.name) continue;
      return StrCat("; did you mean ", identity.ToString(), " in ", where, "?");
    }
    return "";
  }

  const BundleFolder& bundle_;
  std::map<ManifestIdentity, std::string> seen_;
  std::map<ManifestIdentity, std::string> objects_;  // without namespaces
  std::vector<olm::Definition> definitions_;
  int csvs_ = 0;
  std::vector<Finding> findings_;
};

class LintCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", folder_, "Folder of the bundle, with manifests/ and metadata/")
        ->required();
    FlagAdder(app).Switch("--strict", strict_, "Hints are errors, too");
  }

  StatusTask Run(Session& session) override {
    CO_ASSIGN_OR_RETURN(const BundleFolder bundle, ReadBundleFolder(folder_));
    const std::vector<Finding> findings = LintBundle(bundle);
    json::array list;
    int64_t failing = 0;
    for (const Finding& finding : findings) {
      const bool fails = strict_ || !finding.hint;
      if (fails) ++failing;
      const char* severity = finding.hint ? "hint" : "error";
      session.terminal.Line(StrCat(finding.where, ": ", severity, ": ", finding.what),
                            fails ? Style::kBad : Style::kWarning);
      list.push_back(json::object{
          {"where", finding.where}, {"severity", severity}, {"message", finding.what}});
    }
    session.document["findings"] = std::move(list);
    if (failing > 0) {
      co_return absl::InvalidArgumentError(StrCat("the bundle has ", CountText(failing, "error")));
    }
    session.terminal.Line(
        StrCat("The bundle is in order: ",
               CountText(static_cast<int64_t>(bundle.manifests.size()), "manifest")));
    co_return absl::OkStatus();
  }

 private:
  std::string folder_;
  bool strict_ = false;
};

}  // namespace

std::vector<Finding> LintBundle(const BundleFolder& bundle) { return Linter(bundle).Run(); }

KnownCommand KnownBundleLint() {
  return {.name = "lint",
          .description = "Say what is wrong with a bundle, or probably not meant",
          .report = "BundleLint",
          .needs_cluster = false,
          .make = [] { return std::make_unique<LintCommand>(); }};
}

}  // namespace steward::plugin
