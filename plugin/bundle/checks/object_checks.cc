#include "plugin/bundle/checks/object_checks.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"
#include "olm/plan/step_kind.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

constexpr size_t kMaxName = 253;
constexpr size_t kMaxLabel = 63;

// APIs of kinds that a plan installs, and the Kubernetes release that removed them.
struct Removed {
  std::string_view api_version;
  std::string_view kind;
  std::string_view release;
};
constexpr std::array<Removed, 5> kRemoved = {{
    {"apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", "1.22"},
    {"scheduling.k8s.io/v1beta1", "PriorityClass", "1.22"},
    {"scheduling.k8s.io/v1alpha1", "PriorityClass", "1.17"},
    {"extensions/v1beta1", "NetworkPolicy", "1.16"},
    {"policy/v1beta1", "PodDisruptionBudget", "1.25"},
}};

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// One or more DNS labels with dots between them.
bool IsSubdomain(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  size_t begin = 0;
  while (begin <= name.size()) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    const bool right =
        !part.empty() && IsLowerOrDigit(part.front()) && IsLowerOrDigit(part.back()) &&
        std::ranges::all_of(part, [](char c) { return IsLowerOrDigit(c) || c == '-'; });
    if (!right) return false;
    begin = end + 1;
  }
  return true;
}

bool IsDnsLabel(std::string_view name) {
  return IsSubdomain(name) && name.size() <= kMaxLabel && name.find('.') == name.npos &&
         !(name.front() >= '0' && name.front() <= '9');
}

bool IsPathSegment(std::string_view name) {
  return name != "." && name != ".." && name.find_first_of("/%") == name.npos;
}

void CheckName(const BundleObject& object, std::string_view kind, std::string_view name,
               Findings& findings) {
  if (name.empty()) return;  // it may have a generateName instead
  const olm::StepKind step = olm::StepKindOf(kube::KindOf(object.object));
  if (step == olm::StepKind::kRole || step == olm::StepKind::kBinding) {
    if (!IsPathSegment(name))
      findings.Refuse(object.file, StrCat("metadata.name: \"", name, "\" may hold no / and no %"));
  } else if (kind == "Service") {
    if (!IsDnsLabel(name))
      findings.Refuse(object.file,
                      StrCat("metadata.name: \"", name,
                             "\" is no label of DNS (a-z, 0-9 and -, a letter first, 63 at most)"));
  } else if (!IsSubdomain(name)) {
    findings.Refuse(object.file, StrCat("metadata.name: \"", name,
                                        "\" is no name of DNS (a-z, 0-9, - and ., 253 at most)"));
  }
}

void CheckKeys(const BundleObject& object, const json::object& metadata, std::string_view map,
               Findings& findings) {
  const json::object* members = ObjectAt(metadata, map);
  for (const auto& member : members == nullptr ? json::object() : *members) {
    std::string key(View(member.key()));
    if (map == "annotations") absl::AsciiStrToLower(&key);  // as a server does before it looks
    if (const std::string problem = kube::LabelKeyProblem(key); !problem.empty()) {
      findings.Refuse(object.file,
                      StrCat("metadata.", map, ": \"", key, "\" is no key: ", problem));
    }
    if (map != "labels" || !member.value().is_string()) continue;
    const std::string problem = kube::LabelValueProblem(View(member.value().get_string()));
    if (problem.empty()) continue;
    findings.Refuse(object.file,
                    StrCat("metadata.labels: the value of ", key, " is none: ", problem));
  }
}

bool Has(const json::object& rule, std::string_view key) {
  const json::array* list = ArrayAt(rule, key);
  return list != nullptr && !list->empty();
}

}  // namespace

void CheckRules(const std::string& file, std::string_view field, const json::array& rules,
                bool cluster, Findings& findings) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string at = StrCat(field, "[", i, "]");
    const auto refuse = [&](std::string_view what) { findings.Refuse(file, StrCat(at, what)); };
    if (!rules[i].is_object()) {
      refuse(": must be a mapping");
      continue;
    }
    const json::object& rule = rules[i].get_object();
    if (!Has(rule, "verbs")) refuse(".verbs: there is none");
    if (Has(rule, "nonResourceURLs")) {
      if (!cluster) refuse(".nonResourceURLs: those are of the cluster, not of a namespace");
      if (Has(rule, "apiGroups") || Has(rule, "resources") || Has(rule, "resourceNames")) {
        refuse(": a rule is about resources or about nonResourceURLs, not both");
      }
      continue;
    }
    if (!Has(rule, "apiGroups")) refuse(".apiGroups: there is none (\"\" is that of Pods)");
    if (!Has(rule, "resources")) refuse(".resources: there is none");
  }
}

void CheckObject(const BundleObject& object, Findings& findings) {
  const kube::GroupVersionKind kind = kube::KindOf(object.object);
  for (const Removed& each : kRemoved) {
    if (each.kind != kind.kind || each.api_version != kind.ApiVersion()) continue;
    findings.Error(object.file, StrCat("apiVersion: ", each.api_version, " ", each.kind,
                                       " is gone since Kubernetes ", each.release));
  }
  const json::object* metadata = ObjectAt(object.object, "metadata");
  if (metadata == nullptr) return;
  CheckName(object, kind.kind, StringAt(*metadata, "name"), findings);
  CheckKeys(object, *metadata, "labels", findings);
  CheckKeys(object, *metadata, "annotations", findings);
  const bool role = olm::StepKindOf(kind) == olm::StepKind::kRole;
  const json::array* rules = role ? ArrayAt(object.object, "rules") : nullptr;
  if (rules != nullptr) {
    CheckRules(object.file, "rules", *rules, kind.kind == "ClusterRole", findings);
  }
}

}  // namespace steward::plugin
