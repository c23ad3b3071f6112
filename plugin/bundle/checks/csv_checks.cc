#include "plugin/bundle/checks/csv_checks.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"
#include "olm/payload/release_version.h"
#include "olm/plan/step_kind.h"
#include "plugin/bundle/checks/object_checks.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

constexpr size_t kMaxExamples = 4 << 20;  // bytes

// Annotations that OLM reads, and that are easily misspelt.
constexpr std::array<std::string_view, 5> kAnnotations = {
    "olm.skipRange", "olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces",
    "olm.providedAPIs"};

const json::object* Below(const json::object& root, std::initializer_list<std::string_view> keys) {
  const json::object* at = &root;
  for (const std::string_view key : keys) {
    if (at == nullptr) return nullptr;
    at = ObjectAt(*at, key);
  }
  return at;
}

// The objects of a list; empty where there is no list.
std::vector<const json::object*> ListBelow(const json::object* parent, std::string_view key) {
  std::vector<const json::object*> all;
  const json::array* list = parent == nullptr ? nullptr : ArrayAt(*parent, key);
  if (list == nullptr) return all;
  static const json::object kNone;
  for (const json::value& each : *list) {
    all.push_back(each.is_object() ? &each.get_object() : &kNone);
  }
  return all;
}

// An API as a ClusterServiceVersion names it, of the definition "plural.group".
using Api = std::tuple<std::string, std::string, std::string>;  // group, version, kind

std::string Text(const Api& api) {
  const auto& [group, version, kind] = api;
  return StrCat(kind, " in ", group, "/", version);
}

Api ApiOf(const json::object& owned) {
  const std::string_view name = StringAt(owned, "name");
  const size_t dot = name.find('.');
  return {std::string(dot == std::string_view::npos ? name : name.substr(dot + 1)),
          std::string(StringAt(owned, "version")), std::string(StringAt(owned, "kind"))};
}

class CsvCheck {
 public:
  CsvCheck(const BundleObject& csv, Findings& findings)
      : file_(csv.file), csv_(csv.object), findings_(findings) {
    static const json::object kNone;
    const json::object* spec = ObjectAt(csv_, "spec");
    const json::object* metadata = ObjectAt(csv_, "metadata");
    spec_ = spec == nullptr ? &kNone : spec;
    metadata_ = metadata == nullptr ? &kNone : metadata;
  }

  void Run() {
    Name("metadata.name", StringAt(*metadata_, "name"));
    if (const auto replaces = StringAt(*spec_, "replaces"); !replaces.empty()) {
      Name("spec.replaces", replaces);
    }
    Versions();
    if (StringAt(*spec_, "displayName").empty()) Error("spec.displayName: is missing");
    InstallModes();
    Strategy();
    RelatedImages();
    Annotations();
    Examples();
  }

  void InBundle(const BundleFolder& bundle, const std::vector<olm::Definition>& definitions) {
    Owned(definitions);
    Accounts(bundle);
  }

 private:
  void Error(std::string what) { findings_.Error(file_, std::move(what)); }
  void Hint(std::string what) { findings_.Hint(file_, std::move(what)); }

  // Checks a name that OLM puts into labels.
  void Name(std::string_view field, std::string_view name) {
    const std::string problem = kube::LabelValueProblem(name);
    if (!problem.empty()) {
      Error(StrCat(field, ": OLM makes a label's value of it, and it is none: ", problem));
    }
  }

  void Versions() {
    const std::string_view version = StringAt(*spec_, "version");
    if (version.empty()) {
      Hint("spec.version: is missing: catalogs cannot order it");
    } else if (!olm::ReleaseVersion::Parse(version).ok() &&
               olm::ReleaseVersion::ParseLeniently(version).ok()) {
      Hint(StrCat("spec.version: \"", version, "\" is no semantic version: OLM mends it"));
    }
    const std::string_view lowest = StringAt(*spec_, "minKubeVersion");
    if (!lowest.empty() && !olm::ReleaseVersion::Parse(lowest).ok()) {
      Error(StrCat("spec.minKubeVersion: \"", lowest, "\" is no semantic version"));
    }
  }

  void InstallModes() {
    std::set<std::string_view> supported;
    std::set<std::string_view> said;
    const std::vector<const json::object*> modes = ListBelow(spec_, "installModes");
    for (size_t i = 0; i < modes.size(); ++i) {
      const std::string_view type = StringAt(*modes[i], "type");
      static const std::set<std::string_view> kTypes = {"OwnNamespace", "SingleNamespace",
                                                        "MultiNamespace", "AllNamespaces"};
      const std::string at = StrCat("spec.installModes[", i, "].type: ");
      if (!kTypes.contains(type)) Error(StrCat(at, "there is no install mode \"", type, "\""));
      if (!said.insert(type).second) Error(StrCat(at, type, " is there twice"));
      if (BoolAt(*modes[i], "supported")) supported.insert(type);
    }
    if (supported.empty()) {
      Error("spec.installModes: none is supported: OLM lets the operator start nowhere");
    }
    const std::vector<const json::object*> webhooks = ListBelow(spec_, "webhookdefinitions");
    const bool converts = std::any_of(
        webhooks.begin(), webhooks.end(),
        [](const json::object* webhook) { return !ListBelowAny(*webhook, "conversionCRDs"); });
    if (converts && supported != std::set<std::string_view>{"AllNamespaces"}) {
      Error("spec.installModes: a webhook that converts needs AllNamespaces alone");
    }
  }

  // True where there is no such list, or an empty one.
  static bool ListBelowAny(const json::object& parent, std::string_view key) {
    const json::array* list = ArrayAt(parent, key);
    return list == nullptr || list->empty();
  }

  void Strategy() {
    const json::object* install = ObjectAt(*spec_, "install");
    if (install == nullptr) return Error("spec.install: is missing");
    const std::string_view strategy = StringAt(*install, "strategy");
    if (strategy != "deployment") {
      Error(
          StrCat("spec.install.strategy: OLM knows \"deployment\" alone, not \"", strategy, "\""));
    }
    const json::object* spec = ObjectAt(*install, "spec");
    if (ListBelow(spec, "deployments").empty()) {
      Error("spec.install.spec.deployments: there is none");
    }
    for (const std::string_view list : {"permissions", "clusterPermissions"}) {
      const std::vector<const json::object*> all = ListBelow(spec, list);
      for (size_t i = 0; i < all.size(); ++i) {
        const json::array* rules = ArrayAt(*all[i], "rules");
        if (rules == nullptr) continue;
        CheckRules(file_, StrCat("spec.install.spec.", list, "[", i, "].rules"), *rules,
                   list == "clusterPermissions", findings_);
      }
    }
  }

  void RelatedImages() {
    const std::vector<const json::object*> images = ListBelow(spec_, "relatedImages");
    for (size_t i = 0; i < images.size(); ++i) {
      const std::string_view image = StringAt(*images[i], "image");
      const bool odd =
          image.find_first_of(" \t\n\"'") != image.npos || image.find("://") != image.npos;
      if (!image.empty() && !odd) continue;
      Error(StrCat("spec.relatedImages[", i, "].image: \"", image, "\" is no image"));
    }
  }

  void Annotations() {
    const json::object* annotations = ObjectAt(*metadata_, "annotations");
    for (const auto& member : annotations == nullptr ? json::object() : *annotations) {
      const std::string_view key = View(member.key());
      if (key == "olm.properties") {
        Hint("metadata.annotations: olm.properties belongs into metadata/properties.yaml");
      }
      for (const std::string_view known : kAnnotations) {
        if (key == known || !absl::EqualsIgnoreCase(absl::string_view(key.data(), key.size()),
                                                    absl::string_view(known.data(), known.size())))
          continue;
        Error(StrCat("metadata.annotations: ", key, " means nothing to OLM; it reads ", known));
      }
    }
  }

  std::set<Api> Provided() {
    std::set<Api> all;
    const json::object* definitions = ObjectAt(*spec_, "customresourcedefinitions");
    for (const json::object* owned : ListBelow(definitions, "owned")) all.insert(ApiOf(*owned));
    const json::object* services = ObjectAt(*spec_, "apiservicedefinitions");
    for (const json::object* owned : ListBelow(services, "owned")) {
      all.emplace(StringAt(*owned, "group"), StringAt(*owned, "version"), StringAt(*owned, "kind"));
    }
    return all;
  }

  void Examples() {
    const json::object* annotations = ObjectAt(*metadata_, "annotations");
    std::string_view key = "alm-examples";
    if (annotations == nullptr || !annotations->contains(key)) key = "olm.examples";
    if (annotations == nullptr || !annotations->contains(key)) {
      if (!Provided().empty()) Hint("metadata.annotations: there are no alm-examples");
      return;
    }
    const std::string_view text = StringAt(*annotations, key);
    if (text.empty()) return;
    JsonLimits limits;
    limits.max_size = kMaxExamples;
    const absl::StatusOr<json::value> examples = ParseJson(text, limits);
    if (!examples.ok()) {
      return Error(StrCat("metadata.annotations: ", key,
                          " is no JSON: ", std::string(examples.status().message())));
    }
    if (!examples->is_array()) {
      return Error(StrCat("metadata.annotations: ", key, " is no list of objects"));
    }
    std::set<Api> provided = Provided();
    std::set<Api> shown;
    for (const json::value& example : examples->get_array()) {
      if (!example.is_object()) {
        Error(StrCat("metadata.annotations: ", key, ": an example is no object"));
        continue;
      }
      const kube::GroupVersionKind kind = kube::KindOf(example.get_object());
      const Api api = {kind.group, kind.version, kind.kind};
      if (!shown.insert(api).second || provided.contains(api)) continue;
      Error(
          StrCat("metadata.annotations: ", key, ": the ClusterServiceVersion owns no ", Text(api)));
    }
    for (const Api& api : provided) {
      if (!shown.contains(api)) {
        Hint(StrCat("metadata.annotations: ", key, " has no ", Text(api)));
      }
    }
  }

  void Owned(const std::vector<olm::Definition>& definitions) {
    std::set<std::pair<std::string, std::string>> owned_kinds;
    const std::vector<const json::object*> all =
        ListBelow(ObjectAt(*spec_, "customresourcedefinitions"), "owned");
    for (size_t i = 0; i < all.size(); ++i) {
      const Api api = ApiOf(*all[i]);
      const auto& [group, version, kind] = api;
      owned_kinds.emplace(group, kind);
      const std::string at = StrCat("spec.customresourcedefinitions.owned[", i, "]");
      const std::string_view name = StringAt(*all[i], "name");
      const auto same = std::find_if(definitions.begin(), definitions.end(),
                                     [&name](const auto& each) { return each.name == name; });
      if (same == definitions.end()) {
        Error(StrCat(at, ": the bundle brings no definition ", name));
      } else if (same->kind != kind) {
        Error(StrCat(at, ".kind: ", name, " defines ", same->kind, ", not ", kind));
      } else if (std::find(same->versions.begin(), same->versions.end(), version) ==
                 same->versions.end()) {
        Error(StrCat(at, ".version: ", name, " has no version \"", version, "\""));
      }
    }
    for (const olm::Definition& each : definitions) {
      if (owned_kinds.contains({each.group, each.kind})) continue;
      Error(StrCat("spec.customresourcedefinitions: the bundle brings ", each.name,
                   ", and the ClusterServiceVersion does not own it"));
    }
  }

  void Accounts(const BundleFolder& bundle) {
    std::set<std::string> said;
    const json::object* strategy = Below(*spec_, {"install", "spec"});
    for (const json::object* deployment : ListBelow(strategy, "deployments")) {
      const json::object* pod = Below(*deployment, {"spec", "template", "spec"});
      if (pod != nullptr) said.emplace(StringAt(*pod, "serviceAccountName"));
    }
    for (const BundleObject& object : bundle.manifests) {
      if (olm::StepKindOf(kube::KindOf(object.object)) != olm::StepKind::kServiceAccount) continue;
      const json::object* metadata = ObjectAt(object.object, "metadata");
      const std::string name(metadata == nullptr ? "" : StringAt(*metadata, "name"));
      if (!said.contains(name)) continue;
      findings_.Error(object.file, StrCat("metadata.name: the account ", name,
                                          " is one of the ClusterServiceVersion, too, which makes "
                                          "it by itself"));
    }
  }

  const std::string& file_;
  const json::object& csv_;
  const json::object* spec_;
  const json::object* metadata_;
  Findings& findings_;
};

}  // namespace

void CheckCsv(const BundleObject& csv, Findings& findings) { CsvCheck(csv, findings).Run(); }

void CheckCsvInBundle(const BundleObject& csv, const BundleFolder& bundle,
                      const std::vector<olm::Definition>& definitions, Findings& findings) {
  CsvCheck(csv, findings).InBundle(bundle, definitions);
}

}  // namespace steward::plugin
