#include "storage/embedded/rules/metadata_checks.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/quote.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/name_syntax.h"
#include "storage/embedded/rules/object_meta.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr size_t kMaxCauses = 100;
constexpr size_t kMaxAnnotations = 256 << 10;  // bytes of all keys and values

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

class Causes {
 public:
  // `value` is JSON.
  void Invalid(std::string_view field, std::string_view value, std::string_view detail) {
    Add("FieldValueInvalid", field, StrCat("Invalid value: ", value, ": ", detail));
  }
  void InvalidString(std::string_view field, std::string_view value, std::string_view detail) {
    if (!full()) Invalid(field, kube::Quote(value), detail);
  }
  void Add(std::string_view reason, std::string_view field, std::string message) {
    if (!full()) {
      causes_.push_back({std::string(reason), std::move(message), std::string(field)});
    }
  }
  bool full() const { return causes_.size() == kMaxCauses; }
  std::vector<kube::StatusCause> Take() && { return std::move(causes_); }

 private:
  std::vector<kube::StatusCause> causes_;
};

void CheckName(NameForm form, const json::object& meta, Causes& causes) {
  const std::string_view generate = StringAt(meta, "generateName");
  if (!generate.empty()) {
    for (const std::string& problem : NameProblems(form, generate, true)) {
      causes.InvalidString("metadata.generateName", generate, problem);
    }
  }
  const std::string_view name = StringAt(meta, "name");
  if (name.empty()) {
    causes.Add("FieldValueRequired", "metadata.name",
               "Required value: name or generateName is required");
    return;
  }
  for (const std::string& problem : NameProblems(form, name, false)) {
    causes.InvalidString("metadata.name", name, problem);
  }
}

void CheckNamespace(const kube::ResourceType& type, const json::object& meta, Causes& causes) {
  if (!type.namespaced) return;
  const std::string_view ns = StringAt(meta, "namespace");
  if (ns.empty()) {
    causes.Add("FieldValueRequired", "metadata.namespace", "Required value");
    return;
  }
  for (const std::string& problem : NameProblems(NameForm::kDnsLabel, ns, false)) {
    causes.InvalidString("metadata.namespace", ns, problem);
  }
}

void CheckGeneration(const json::object& meta, Causes& causes) {
  const json::value* generation = meta.if_contains("generation");
  if (generation == nullptr || generation->get_int64() >= 0) return;
  causes.Invalid("metadata.generation", Serialize(*generation),
                 "must be greater than or equal to 0");
}

// Adds one cause for each problem of a qualified name, which come in one text.
void CheckQualifiedName(std::string_view field, std::string_view shown, std::string_view name,
                        Causes& causes) {
  if (causes.full()) return;
  const std::string problems = kube::LabelKeyProblem(name);
  if (problems.empty()) return;
  for (absl::string_view problem : absl::StrSplit(problems, "; ")) {
    causes.InvalidString(field, shown, ToStd(problem));
  }
}

void CheckLabels(const json::object& meta, Causes& causes) {
  constexpr char kField[] = "metadata.labels";
  const json::object* labels = ObjectAt(meta, "labels");
  if (labels == nullptr) return;
  for (const auto& label : *labels) {
    CheckQualifiedName(kField, View(label.key()), View(label.key()), causes);
    const std::string_view value = View(label.value().get_string());
    const std::string problems = kube::LabelValueProblem(value);
    if (problems.empty()) continue;
    for (absl::string_view problem : absl::StrSplit(problems, "; ")) {
      causes.InvalidString(kField, value, ToStd(problem));
    }
  }
}

void CheckAnnotations(const json::object& meta, Causes& causes) {
  constexpr char kField[] = "metadata.annotations";
  const json::object* annotations = ObjectAt(meta, "annotations");
  if (annotations == nullptr) return;
  size_t size = 0;
  for (const auto& annotation : *annotations) {
    const std::string_view key = View(annotation.key());
    CheckQualifiedName(kField, key, absl::AsciiStrToLower(ToAbsl(key)), causes);
    size += key.size() + annotation.value().get_string().size();
  }
  if (size > kMaxAnnotations) {
    causes.Add("FieldValueTooLong", kField,
               StrCat("Too long: may not be more than ", kMaxAnnotations, " bytes"));
  }
}

// The version in an apiVersion; "" when there is none.
std::string_view VersionIn(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return api_version;
  const std::string_view version = api_version.substr(slash + 1);
  return version.find('/') == std::string_view::npos ? version : std::string_view();
}

void CheckOwner(const json::object& owner, Causes& causes) {
  const std::string_view api_version = StringAt(owner, "apiVersion");
  if (VersionIn(api_version).empty()) {
    causes.InvalidString("metadata.ownerReferences.apiVersion", api_version,
                         "version must not be empty");
  }
  for (const char* key : {"kind", "name", "uid"}) {
    if (StringAt(owner, key).empty()) {
      causes.InvalidString(StrCat("metadata.ownerReferences.", key), "", "must not be empty");
    }
  }
  if (api_version == "v1" && StringAt(owner, "kind") == "Event") {
    causes.Invalid("metadata.ownerReferences", Serialize(owner),
                   "/v1, Kind=Event is disallowed from being an owner");
  }
}

void CheckOwners(const json::object& meta, Causes& causes) {
  const json::array* owners = ArrayAt(meta, "ownerReferences");
  if (owners == nullptr) return;
  std::string controller;
  for (const json::value& element : *owners) {
    // The complaint about two controllers shows all owners.
    if (causes.full()) return;
    const json::object& owner = element.get_object();
    CheckOwner(owner, causes);
    const json::value* flag = owner.if_contains("controller");
    if (flag == nullptr || !flag->get_bool()) continue;
    const std::string current = StrCat(StringAt(owner, "kind"), "/", StringAt(owner, "name"));
    if (controller.empty()) {
      controller = current;
      continue;
    }
    causes.Invalid("metadata.ownerReferences", Serialize(*owners),
                   StrCat("Only one reference can have Controller set to true. Found \"true\" in "
                          "references for ",
                          controller, " and ", current));
    return;
  }
}

void CheckFinalizers(const json::object& meta, Causes& causes) {
  constexpr char kField[] = "metadata.finalizers";
  const json::array* finalizers = ArrayAt(meta, "finalizers");
  if (finalizers == nullptr) return;
  bool orphan = false;
  bool foreground = false;
  for (const json::value& element : *finalizers) {
    const std::string_view finalizer = View(element.get_string());
    CheckQualifiedName(kField, finalizer, finalizer, causes);
    orphan |= finalizer == kOrphan;
    foreground |= finalizer == kForeground;
  }
  if (orphan && foreground) {
    causes.Invalid(kField, Serialize(*finalizers),
                   StrCat("finalizer ", kOrphan, " and ", kForeground, " cannot be both set"));
  }
}

void CheckQualifiedFinalizers(const kube::ResourceType& type, const json::object& meta,
                              Causes& causes) {
  const json::array* finalizers = ArrayAt(meta, "finalizers");
  if (finalizers == nullptr || !WantsQualifiedFinalizers(type)) return;
  for (size_t i = 0; i < finalizers->size(); ++i) {
    const std::string_view finalizer = View((*finalizers)[i].get_string());
    if (finalizer.find('/') != std::string_view::npos || finalizer == "kubernetes" ||
        finalizer == kOrphan || finalizer == kForeground) {
      continue;
    }
    causes.InvalidString(StrCat("metadata.finalizers[", i, "]"), finalizer,
                         "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void CheckMeta(const kube::ResourceType& type, NameForm form, const json::object& meta,
               Causes& causes) {
  CheckName(form, meta, causes);
  CheckNamespace(type, meta, causes);
  CheckGeneration(meta, causes);
  CheckLabels(meta, causes);
  CheckAnnotations(meta, causes);
  CheckOwners(meta, causes);
  CheckFinalizers(meta, causes);
}

void CheckNoNewFinalizers(const json::object& stored_meta, const json::object& meta,
                          Causes& causes) {
  const json::array* finalizers = ArrayAt(meta, "finalizers");
  if (finalizers == nullptr || !stored_meta.contains("deletionTimestamp")) return;
  absl::flat_hash_set<std::string_view> old;
  if (const json::array* stored = ArrayAt(stored_meta, "finalizers")) {
    for (const json::value& finalizer : *stored) old.insert(View(finalizer.get_string()));
  }
  std::set<std::string> added;
  for (const json::value& finalizer : *finalizers) {
    const std::string_view name = View(finalizer.get_string());
    if (!old.contains(name)) added.insert(kube::Quote(name));
  }
  if (added.empty()) return;
  causes.Add("FieldValueForbidden", "metadata.finalizers",
             StrCat("Forbidden: no new finalizers can be added if the object is being deleted, "
                    "found new finalizers []string{",
                    absl::StrJoin(added, ", "), "}"));
}

void CheckImmutable(std::string_view key, const json::object& stored_meta, const json::object& meta,
                    Causes& causes) {
  const json::value* stored = stored_meta.if_contains(Key(key));
  const json::value* value = meta.if_contains(Key(key));
  if (value == nullptr || (stored != nullptr && *stored == *value)) return;
  causes.Invalid(StrCat("metadata.", key), Serialize(*value), "field is immutable");
}

}  // namespace

std::vector<kube::StatusCause> CreateCauses(const kube::ResourceType& type,
                                            const json::object& meta) {
  Causes causes;
  CheckMeta(type, NameFormOf(type), meta, causes);
  CheckQualifiedFinalizers(type, meta, causes);
  return std::move(causes).Take();
}

std::vector<kube::StatusCause> UpdateCauses(const kube::ResourceType& type,
                                            const json::object& stored_meta,
                                            const json::object& meta) {
  Causes causes;
  // The name is not checked: it was checked at creation, perhaps by other rules.
  CheckMeta(type, NameForm::kPathSegment, meta, causes);
  CheckNoNewFinalizers(stored_meta, meta, causes);
  CheckImmutable("deletionTimestamp", stored_meta, meta, causes);
  CheckImmutable("deletionGracePeriodSeconds", stored_meta, meta, causes);
  CheckQualifiedFinalizers(type, meta, causes);
  return std::move(causes).Take();
}

}  // namespace steward::storage
