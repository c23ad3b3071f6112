#include "bundle/requirements.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"
#include "olm/payload/release_version.h"
#include "olm/payload/version_range.h"
#include "olm/plan/definition_change.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"
#include "olm/resources.h"
#include "olm/targets.h"

namespace steward::bundle {
namespace json = boost::json;
namespace {

// Nested constraints; deeper ones are not judged.
constexpr int kMaxDepth = 16;
constexpr std::string_view kRequired = ".required";
// Small, because a ClusterServiceVersion may have a megabyte.
constexpr int64_t kPageSize = 50;

// The name of the type in metadata/dependencies.yaml.
std::string_view BareType(std::string_view type) {
  if (type.ends_with(kRequired)) type.remove_suffix(kRequired.size());
  return type;
}

// An installed operator, with the facts that requirements on packages need.
struct Installed {
  std::string csv;
  std::string package;  // "" = not known
  std::string version;
};

class Requirements {
 public:
  Requirements(kube::Client& client, Clock& clock, const Candidate& candidate)
      : client_(client), candidate_(candidate), mapper_(client, clock) {}

  Task<std::vector<std::string>> Run() {
    const json::object* csv = ReadBundle();
    if (csv != nullptr) {
      CO_RETURN_IF_ERROR(co_await Version(*csv));
      CO_RETURN_IF_ERROR(co_await Apis(*csv));
      CO_RETURN_IF_ERROR(co_await Modes(*csv));
    }
    CO_RETURN_IF_ERROR(co_await Properties());
    co_return std::move(unmet_);
  }

 private:
  // Returns the ClusterServiceVersion, and notes which APIs the bundle itself brings.
  const json::object* ReadBundle() {
    const json::object* csv = nullptr;
    for (const json::object& each : candidate_.manifests) {
      const olm::StepKind kind = olm::StepKindOf(kube::KindOf(each));
      if (kind == olm::StepKind::kCsv) csv = ObjectAt(each, "spec");
      if (kind != olm::StepKind::kDefinition) continue;
      const absl::StatusOr<olm::Definition> definition = olm::ReadDefinition(each);
      if (!definition.ok()) continue;
      for (const std::string& version : definition->versions) {
        brought_.insert({definition->group, version, definition->kind});
      }
    }
    return csv;
  }

  StatusTask Version(const json::object& spec) {
    const std::string lowest(StringAt(spec, "minKubeVersion"));
    if (lowest.empty()) co_return absl::OkStatus();
    const absl::StatusOr<olm::ReleaseVersion> wanted = olm::ReleaseVersion::ParseLeniently(lowest);
    const absl::StatusOr<std::string> says = co_await client_.ServerVersion();
    if (!wanted.ok() || absl::IsUnimplemented(says.status())) co_return absl::OkStatus();
    CO_RETURN_IF_ERROR(says.status());
    absl::StatusOr<olm::ReleaseVersion> is = olm::ReleaseVersion::ParseLeniently(*says);
    if (is.ok()) is->rest.clear();  // a distributor's mark, or a pre-release
    if (!is.ok() || olm::LevelOf(*wanted, *is) == olm::UpdateLevel::kDowngrade) {
      unmet_.push_back(StrCat("spec.minKubeVersion: needs Kubernetes ", lowest,
                              " or newer, and this is ", *says));
    }
    co_return absl::OkStatus();
  }

  Task<bool> IsServed(kube::GroupVersionKind gvk) {
    if (brought_.contains(gvk)) co_return true;
    CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping, co_await mapper_.Find(gvk));
    co_return mapping.has_value();
  }

  StatusTask Api(std::string field, kube::GroupVersionKind gvk) {
    if (gvk.kind.empty() || gvk.version.empty()) co_return absl::OkStatus();
    CO_ASSIGN_OR_RETURN(const bool served, co_await IsServed(gvk));
    if (!served) {
      unmet_.push_back(StrCat(field, ": needs ", gvk.kind, " in ", gvk.ApiVersion(),
                              ", which this cluster does not serve"));
    }
    co_return absl::OkStatus();
  }

  static kube::GroupVersionKind GvkOf(const json::object& object) {
    return {std::string(StringAt(object, "group")), std::string(StringAt(object, "version")),
            std::string(StringAt(object, "kind"))};
  }

  StatusTask Apis(const json::object& spec) {
    for (const std::string_view list : {"customresourcedefinitions", "apiservicedefinitions"}) {
      const json::object* apis = ObjectAt(spec, list);
      const json::array* required = apis == nullptr ? nullptr : ArrayAt(*apis, "required");
      for (size_t i = 0; required != nullptr && i < required->size(); ++i) {
        const json::object* each = (*required)[i].if_object();
        if (each == nullptr) continue;
        kube::GroupVersionKind gvk = GvkOf(*each);
        if (list == "customresourcedefinitions") {
          const std::string_view name = StringAt(*each, "name");
          gvk.group = name.substr(std::min(name.find('.'), name.size() - 1) + 1);
        }
        std::string field = StrCat("spec.", list, ".required[", i, "]");
        CO_RETURN_IF_ERROR(co_await Api(std::move(field), std::move(gvk)));
      }
    }
    const json::array* native = ArrayAt(spec, "nativeAPIs");
    for (size_t i = 0; native != nullptr && i < native->size(); ++i) {
      const json::object* each = (*native)[i].if_object();
      if (each == nullptr) continue;
      std::string field = StrCat("spec.nativeAPIs[", i, "]");
      CO_RETURN_IF_ERROR(co_await Api(std::move(field), GvkOf(*each)));
    }
    co_return absl::OkStatus();
  }

  // If the namespace does not have exactly one OperatorGroup, the install mode is unknown yet, and
  // the plan would wait.
  StatusTask Modes(const json::object& spec) {
    std::vector<json::object> groups;
    const auto take = [&groups](const json::object& group) { groups.push_back(group); };
    const absl::Status listed = co_await Visit(olm::kOperatorGroups, take);
    if (kube::IsForbidden(listed)) {
      unmet_.push_back("spec.installModes: you may not read the OperatorGroup of the namespace");
      co_return absl::OkStatus();
    }
    CO_RETURN_IF_ERROR(listed);
    if (groups.size() != 1) co_return absl::OkStatus();
    const std::optional<olm::TargetSummary> targets = TargetsOf(groups.front());
    if (!targets) co_return absl::OkStatus();
    const absl::Status fits = olm::CheckInstallModes(olm::InstallModesOf(spec), *targets);
    if (!fits.ok()) {
      unmet_.push_back(StrCat("spec.installModes: ", std::string(fits.message())));
    }
    co_return absl::OkStatus();
  }

  // The targets that the group's status names, or else its spec; nullopt if only a selector does.
  std::optional<olm::TargetSummary> TargetsOf(const json::object& group) const {
    const json::object* status = ObjectAt(group, "status");
    const json::array* namespaces = status == nullptr ? nullptr : ArrayAt(*status, "namespaces");
    if (namespaces == nullptr) {
      const json::object* spec = ObjectAt(group, "spec");
      namespaces = spec == nullptr ? nullptr : ArrayAt(*spec, "targetNamespaces");
      if (namespaces == nullptr && spec != nullptr && spec->contains("selector")) {
        return std::nullopt;
      }
    }
    std::set<std::string> names;
    for (const json::value& each : namespaces == nullptr ? json::array() : *namespaces) {
      if (each.is_string()) names.emplace(each.get_string());
    }
    if (names.empty() || names.contains("")) return olm::TargetSummary{.all = true};
    return olm::TargetSummary{.count = names.size(), .includes_own = names.contains(candidate_.ns)};
  }

  StatusTask Properties() {
    for (const json::value& each : candidate_.properties) {
      if (!each.is_object()) continue;
      const json::object& entry = each.get_object();
      const std::string_view type = StringAt(entry, "type");
      const json::object* value = ObjectAt(entry, "value");
      if (value == nullptr) continue;
      std::string missing;
      if (type == "olm.gvk.required") {
        CO_ASSIGN_OR_RETURN(missing, co_await MissingGvk(*value));
      } else if (type == "olm.package.required") {
        CO_ASSIGN_OR_RETURN(missing, co_await MissingPackage(*value));
      } else if (type == "olm.constraint") {
        CO_ASSIGN_OR_RETURN(missing, co_await MissingConstraint(*value, 0));
      }
      if (missing.empty()) continue;
      unmet_.push_back(StrCat(BareType(type), ": ", missing));
    }
    co_return absl::OkStatus();
  }

  // Each of these functions returns why a requirement is not met; "" = it is met.
  Task<std::string> MissingGvk(const json::object& value) {
    const kube::GroupVersionKind gvk = GvkOf(value);
    CO_ASSIGN_OR_RETURN(const bool served, co_await IsServed(gvk));
    if (served) co_return "";
    co_return StrCat("needs ", gvk.kind, " in ", gvk.ApiVersion(),
                     ", which this cluster does not serve");
  }

  Task<std::string> MissingPackage(const json::object& value) {
    const std::string package(StringAt(value, "packageName"));
    std::string wanted(StringAt(value, "versionRange"));
    if (wanted.empty()) wanted = StringAt(value, "version");
    const absl::StatusOr<olm::VersionRange> range = olm::VersionRange::Parse(wanted);
    if (!range.ok()) co_return std::string(range.status().message());
    CO_RETURN_IF_ERROR(co_await ReadInstalled());
    std::vector<std::string> others;
    for (const Installed& each : installed_) {
      const bool named = each.package == package ||
                         (each.package.empty() && each.csv.starts_with(StrCat(package, ".")));
      if (!named) continue;
      const absl::StatusOr<olm::ReleaseVersion> version =
          olm::ReleaseVersion::ParseLeniently(each.version);
      if (version.ok() && range->Contains(*version)) co_return "";
      others.push_back(StrCat(each.csv, " is ", each.version));
    }
    const std::string there = others.empty() ? "no operator in the namespace is known to be of it"
                                             : absl::StrJoin(others, ", ");
    co_return StrCat("needs the package ", package, " in a version ", wanted, ": ", there);
  }

  Task<std::string> MissingConstraint(const json::object& value, int depth) {
    const std::string message(StringAt(value, "failureMessage"));
    const auto why = [&message](std::string reason) {
      if (reason.empty() || message.empty()) return reason;
      return StrCat(message, " (", reason, ")");
    };
    if (depth >= kMaxDepth) co_return why("the constraint is nested too deeply to be judged");
    if (const json::object* gvk = ObjectAt(value, "gvk")) {
      CO_ASSIGN_OR_RETURN(std::string missing, co_await MissingGvk(*gvk));
      co_return why(std::move(missing));
    }
    if (const json::object* package = ObjectAt(value, "package")) {
      CO_ASSIGN_OR_RETURN(std::string missing, co_await MissingPackage(*package));
      co_return why(std::move(missing));
    }
    for (const std::string_view kind : {"all", "any", "not"}) {
      const json::object* compound = ObjectAt(value, kind);
      const json::array* list = compound == nullptr ? nullptr : ArrayAt(*compound, "constraints");
      if (list == nullptr) continue;
      std::vector<std::string> missing;
      for (const json::value& each : *list) {
        if (!each.is_object()) continue;
        CO_ASSIGN_OR_RETURN(std::string one,
                            co_await MissingConstraint(each.get_object(), depth + 1));
        if (!one.empty()) missing.push_back(std::move(one));
      }
      const bool holds = kind == "all"   ? missing.empty()
                         : kind == "any" ? missing.size() < list->size()
                                         : missing.size() == list->size();
      if (holds) co_return "";
      co_return why(kind == "not" ? "something is there that must not be"
                                  : absl::StrJoin(missing, "; "));
    }
    co_return why("the constraint cannot be judged here");
  }

  // The ClusterServiceVersions of the namespace, copies of others included.
  StatusTask ReadInstalled() {
    if (std::exchange(read_installed_, true)) co_return absl::OkStatus();
    const auto take = [this](const json::object& csv) { installed_.push_back(InstalledOf(csv)); };
    const absl::Status listed = co_await Visit(olm::kCsvs, take);
    if (kube::IsForbidden(listed)) co_return absl::OkStatus();
    co_return listed;
  }

  // Objects that cannot be read are left out.
  StatusTask Visit(kube::GroupVersionResource gvr, std::function<void(const json::object&)> take) {
    kube::ListOptions options;
    options.ns = candidate_.ns;
    options.limit = kPageSize;
    const auto visit = [take = std::move(take)](const kube::RawObject& raw) {
      const absl::StatusOr<json::object> object = ParseJsonObject(raw.json);
      if (object.ok()) take(*object);
      return absl::OkStatus();
    };
    return kube::VisitAll(client_, std::move(gvr), std::move(options), visit);
  }

  static Installed InstalledOf(const json::object& csv) {
    Installed installed;
    const json::object* metadata = ObjectAt(csv, "metadata");
    if (metadata != nullptr) installed.csv = StringAt(*metadata, "name");
    const json::object* spec = ObjectAt(csv, "spec");
    if (spec != nullptr) installed.version = StringAt(*spec, "version");
    const json::object* annotations =
        metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
    if (annotations == nullptr) return installed;
    const absl::StatusOr<json::value> properties =
        ParseJson(StringAt(*annotations, olm::kPropertiesAnnotation));
    const json::array* list = properties.ok() && properties->is_object()
                                  ? ArrayAt(properties->get_object(), "properties")
                                  : nullptr;
    for (const json::value& each : list == nullptr ? json::array() : *list) {
      const json::object* property = each.if_object();
      if (property == nullptr || StringAt(*property, "type") != "olm.package") continue;
      const json::object* value = ObjectAt(*property, "value");
      if (value == nullptr) continue;
      installed.package = StringAt(*value, "packageName");
      if (!StringAt(*value, "version").empty()) installed.version = StringAt(*value, "version");
    }
    return installed;
  }

  kube::Client& client_;
  const Candidate& candidate_;
  kube::RestMapper mapper_;
  std::set<kube::GroupVersionKind> brought_;
  bool read_installed_ = false;
  std::vector<Installed> installed_;
  std::vector<std::string> unmet_;
};

}  // namespace

std::string RequiredType(std::string_view dependency) {
  const bool named = dependency == "olm.gvk" || dependency == "olm.package";
  return StrCat(dependency, named ? kRequired : "");
}

Task<std::vector<std::string>> UnmetRequirements(kube::Client& client, Clock& clock,
                                                 const Candidate& candidate) {
  Requirements requirements(client, clock, candidate);
  co_return co_await requirements.Run();
}

}  // namespace steward::bundle
