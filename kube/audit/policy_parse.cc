#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "kube/audit/policy.h"
#include "kube/meta/names.h"

namespace steward::audit {
namespace json = boost::json;
namespace {

constexpr YamlLimits kLimits = {.max_size = 1 << 20, .max_depth = 32, .max_expansion = 1 << 20};
constexpr Stage kStages[] = {Stage::kRequestReceived, Stage::kResponseStarted,
                             Stage::kResponseComplete, Stage::kPanic};

absl::Status Wrong(std::string_view path, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(path, ": ", why));
}

// An object of the file with its path, for errors. Null counts as absent.
class Fields {
 public:
  static absl::StatusOr<Fields> Of(const json::value& value, std::string path) {
    const json::object* object = value.if_object();
    if (object == nullptr) return Wrong(path.empty() ? "the file" : path, "must be an object");
    return Fields(*object, std::move(path));
  }

  std::string PathOf(std::string_view key) const {
    return path_.empty() ? std::string(key) : StrCat(path_, ".", key);
  }

  absl::Status RefuseOthersThan(std::initializer_list<std::string_view> known) const {
    for (const auto& member : object_) {
      const std::string_view key = View(member.key());
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        return Wrong(PathOf(key), "unknown field");
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Text(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return std::string();
    if (!value->is_string()) return Wrong(PathOf(key), "must be a string");
    return std::string(View(value->get_string()));
  }

  absl::StatusOr<std::vector<std::string>> Texts(std::string_view key) const {
    std::vector<std::string> texts;
    ASSIGN_OR_RETURN(const json::array* list, List(key));
    if (list == nullptr) return texts;
    for (const json::value& item : *list) {
      if (!item.is_string()) return Wrong(PathOf(key), "must be a list of strings");
      texts.emplace_back(View(item.get_string()));
    }
    return texts;
  }

  absl::StatusOr<std::optional<bool>> Bool(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return std::optional<bool>();
    if (!value->is_bool()) return Wrong(PathOf(key), "must be true or false");
    return std::optional<bool>(value->get_bool());
  }

  // Null when the list is absent.
  absl::StatusOr<const json::array*> List(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return nullptr;
    if (!value->is_array()) return Wrong(PathOf(key), "must be a list");
    return &value->get_array();
  }

 private:
  Fields(const json::object& object, std::string path) : object_(object), path_(std::move(path)) {}
  const json::value* Find(std::string_view key) const {
    const json::value* value = object_.if_contains(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  const json::object& object_;
  std::string path_;
};

absl::StatusOr<uint8_t> ReadOmittedStages(const Fields& fields) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, fields.Texts("omitStages"));
  uint8_t omitted = 0;
  for (const std::string& name : names) {
    const auto* stage = std::find_if(std::begin(kStages), std::end(kStages),
                                     [&name](Stage each) { return ToString(each) == name; });
    if (stage == std::end(kStages)) {
      return Wrong(fields.PathOf("omitStages"),
                   StrCat("\"", name,
                          "\" is none of RequestReceived, ResponseStarted, "
                          "ResponseComplete, Panic"));
    }
    omitted = static_cast<uint8_t>(omitted | 1u << static_cast<int>(*stage));
  }
  return omitted;
}

absl::Status CheckPaths(const Fields& fields, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path == "*") continue;
    if (!path.starts_with('/')) {
      return Wrong(fields.PathOf("nonResourceURLs"),
                   StrCat("\"", path, "\" must begin with a '/' character"));
    }
    if (path.find('*') < path.size() - 1) {
      return Wrong(fields.PathOf("nonResourceURLs"),
                   StrCat("in \"", path, "\" a wildcard '*' must be the final character"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// Builds a Policy from a parsed file.
class PolicyReader {
 public:
  absl::StatusOr<Policy> Read(const json::value& document);

 private:
  absl::StatusOr<Policy::Rule> ReadRule(const Fields& fields);
  static absl::StatusOr<std::vector<Policy::Resources>> ReadResources(const Fields& fields);
  absl::StatusOr<Level> ReadLevel(const Fields& fields);

  PolicyDecision defaults_;
  Policy policy_;
};

absl::StatusOr<Level> PolicyReader::ReadLevel(const Fields& fields) {
  ASSIGN_OR_RETURN(const std::string name, fields.Text("level"));
  for (const Level level : {Level::kNone, Level::kMetadata, Level::kRequest}) {
    if (name == ToString(level)) return level;
  }
  if (name == "RequestResponse") {
    policy_.wants_responses_ = true;
    return Level::kRequest;
  }
  return Wrong(fields.PathOf("level"), "must be None, Metadata, Request or RequestResponse");
}

absl::StatusOr<std::vector<Policy::Resources>> PolicyReader::ReadResources(const Fields& fields) {
  std::vector<Policy::Resources> all;
  ASSIGN_OR_RETURN(const json::array* list, fields.List("resources"));
  if (list == nullptr) return all;
  for (const json::value& item : *list) {
    ASSIGN_OR_RETURN(const Fields some,
                     Fields::Of(item, StrCat(fields.PathOf("resources"), "[", all.size(), "]")));
    RETURN_IF_ERROR(some.RefuseOthersThan({"group", "resources", "resourceNames"}));
    Policy::Resources& resources = all.emplace_back();
    ASSIGN_OR_RETURN(resources.group, some.Text("group"));
    ASSIGN_OR_RETURN(resources.resources, some.Texts("resources"));
    ASSIGN_OR_RETURN(resources.names, some.Texts("resourceNames"));
    if (!resources.group.empty() && resources.group != "*" &&
        !kube::IsDns1123Subdomain(resources.group)) {
      return Wrong(some.PathOf("group"), StrCat("\"", resources.group, "\" is no API group"));
    }
    if (!resources.names.empty() && resources.resources.empty()) {
      return Wrong(some.PathOf("resourceNames"),
                   "using resourceNames requires at least one resource");
    }
  }
  return all;
}

absl::StatusOr<Policy::Rule> PolicyReader::ReadRule(const Fields& fields) {
  RETURN_IF_ERROR(
      fields.RefuseOthersThan({"level", "users", "userGroups", "verbs", "resources", "namespaces",
                               "nonResourceURLs", "omitStages", "omitManagedFields"}));
  Policy::Rule rule;
  rule.decision = defaults_;
  ASSIGN_OR_RETURN(rule.decision.level, ReadLevel(fields));
  ASSIGN_OR_RETURN(const uint8_t omitted, ReadOmittedStages(fields));
  rule.decision.omitted_stages |= omitted;
  ASSIGN_OR_RETURN(const std::optional<bool> omit_managed, fields.Bool("omitManagedFields"));
  if (omit_managed.has_value()) rule.decision.omit_managed_fields = *omit_managed;
  ASSIGN_OR_RETURN(rule.users, fields.Texts("users"));
  ASSIGN_OR_RETURN(rule.groups, fields.Texts("userGroups"));
  ASSIGN_OR_RETURN(rule.verbs, fields.Texts("verbs"));
  ASSIGN_OR_RETURN(rule.resources, ReadResources(fields));
  ASSIGN_OR_RETURN(rule.namespaces, fields.Texts("namespaces"));
  ASSIGN_OR_RETURN(rule.paths, fields.Texts("nonResourceURLs"));
  RETURN_IF_ERROR(CheckPaths(fields, rule.paths));
  if (!rule.paths.empty() && (!rule.resources.empty() || !rule.namespaces.empty())) {
    return Wrong(fields.PathOf("nonResourceURLs"),
                 "rules cannot apply to both regular resources and non-resource URLs");
  }
  return rule;
}

absl::StatusOr<Policy> PolicyReader::Read(const json::value& document) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::Of(document, ""));
  RETURN_IF_ERROR(fields.RefuseOthersThan(
      {"apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"}));
  ASSIGN_OR_RETURN(const std::string version, fields.Text("apiVersion"));
  ASSIGN_OR_RETURN(const std::string kind, fields.Text("kind"));
  if (version != "audit.k8s.io/v1" || kind != "Policy") {
    return absl::InvalidArgumentError("must be of kind Policy of audit.k8s.io/v1");
  }
  ASSIGN_OR_RETURN(defaults_.omitted_stages, ReadOmittedStages(fields));
  ASSIGN_OR_RETURN(const std::optional<bool> omit_managed, fields.Bool("omitManagedFields"));
  defaults_.omit_managed_fields = omit_managed.value_or(false);
  ASSIGN_OR_RETURN(const json::array* rules, fields.List("rules"));
  if (rules == nullptr || rules->empty()) return Wrong("rules", "there must be at least one");
  for (const json::value& item : *rules) {
    ASSIGN_OR_RETURN(const Fields each,
                     Fields::Of(item, StrCat("rules[", policy_.rules_.size(), "]")));
    ASSIGN_OR_RETURN(Policy::Rule rule, ReadRule(each));
    policy_.rules_.push_back(std::move(rule));
  }
  return std::move(policy_);
}

absl::StatusOr<Policy> Policy::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value document, ParseYaml(text, kLimits));
  return PolicyReader().Read(document);
}

}  // namespace steward::audit
