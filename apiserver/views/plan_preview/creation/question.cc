#include "apiserver/views/plan_preview/creation/question.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/names.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"
#include "olm/preview/preview.h"

namespace steward::views {
namespace json = boost::json;
namespace {

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1", "PlanPreview"};

// The most problems and unknown fields that are reported; the others are left out.
constexpr size_t kMaxProblems = 20;
constexpr size_t kMaxShown = 100;  // bytes of a client's text in a message

absl::Status BadRequest(std::string_view message) {
  return kube::ToStatus(kube::BadRequest(message));
}

absl::Status Undecodable(std::string_view why) {
  return BadRequest(StrCat(kKind.kind, " in version ", kube::Quote(kKind.version),
                           " cannot be handled as a ", kKind.kind, ": ", why));
}

std::string Shown(std::string_view text) {
  if (text.size() <= kMaxShown) return kube::Quote(text);
  return StrCat(kube::Quote(text.substr(0, kMaxShown)), "...");
}

std::string Below(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : StrCat(path, ".", key);
}

// Reads members of objects and collects their problems. Treats an absent member as null.
class Reader {
 public:
  // Removes the members of `object` that are not in `known`.
  void Prune(json::object& object, std::string_view path,
             std::initializer_list<std::string_view> known) {
    std::vector<std::string> unknown;
    for (const auto& member : object) {
      const std::string_view key = View(member.key());
      if (std::find(known.begin(), known.end(), key) == known.end()) unknown.emplace_back(key);
    }
    for (const std::string& key : unknown) {
      object.erase(key);
      if (unknown_.size() >= kMaxProblems) continue;
      const std::string where = Below(path, std::string_view(key).substr(0, kMaxShown));
      unknown_.push_back(StrCat("unknown field \"", absl::CEscape(where), "\""));
    }
  }

  json::object* Object(json::object& parent, std::string_view key, std::string_view path) {
    json::value* value = Member(parent, key);
    if (value == nullptr) return nullptr;
    if (json::object* object = value->if_object()) return object;
    WrongType(Below(path, key), "object");
    return nullptr;
  }

  json::array* Array(json::object& parent, std::string_view key, std::string_view path) {
    json::value* value = Member(parent, key);
    if (value == nullptr) return nullptr;
    if (json::array* array = value->if_array()) return array;
    WrongType(Below(path, key), "array");
    return nullptr;
  }

  std::optional<bool> Bool(json::object& parent, std::string_view key, std::string_view path) {
    const json::value* value = Member(parent, key);
    if (value == nullptr) return std::nullopt;
    if (const bool* flag = value->if_bool()) return *flag;
    WrongType(Below(path, key), "boolean");
    return std::nullopt;
  }

  // Reads a required object's name.
  std::string Name(json::object& parent, std::string_view key, std::string_view path) {
    const std::string field = Below(path, key);
    const json::value* value = Member(parent, key);
    if (value != nullptr && !value->is_string()) {
      WrongType(field, "string");
      return "";
    }
    std::string name = value == nullptr ? "" : std::string(View(value->get_string()));
    if (name.empty()) {
      Required(field, "a name");
    } else if (!kube::IsDns1123Subdomain(name)) {
      Invalid(field, Shown(name), "must be a lowercase RFC 1123 subdomain");
    }
    return name;
  }

  void Required(std::string field, std::string_view what) {
    Add({"FieldValueRequired", StrCat("Required value: ", what), std::move(field)});
  }
  void Forbidden(std::string field, std::string_view why) {
    Add({"FieldValueForbidden", StrCat("Forbidden: ", why), std::move(field)});
  }
  void Invalid(std::string field, std::string_view value, std::string_view why) {
    Add({"FieldValueInvalid", StrCat("Invalid value: ", value, ": ", why), std::move(field)});
  }
  void TooMany(std::string field, size_t count, size_t max) {
    Add({"FieldValueTooMany", StrCat("Too many: ", count, ": must have at most ", max, " items"),
         std::move(field)});
  }
  void WrongType(std::string field, std::string_view type) {
    Add({"FieldValueTypeInvalid", StrCat("Invalid value: must be of type ", type),
         std::move(field)});
  }

  const std::vector<std::string>& unknown() const { return unknown_; }
  absl::Status Result(std::string_view name) {
    if (causes_.empty()) return absl::OkStatus();
    return kube::ToStatus(kube::Invalid(kKind, name, std::move(causes_)));
  }

 private:
  static json::value* Member(json::object& parent, std::string_view key) {
    json::value* value = parent.if_contains(json::string_view(key.data(), key.size()));
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  void Add(kube::StatusCause cause) {
    if (causes_.size() < kMaxProblems) causes_.push_back(std::move(cause));
  }

  std::vector<kube::StatusCause> causes_;
  std::vector<std::string> unknown_;
};

absl::Status CheckType(const json::object& body) {
  const std::string_view version = StringAt(body, "apiVersion");
  const std::string_view kind = StringAt(body, "kind");
  if (!version.empty() && version != kKind.ApiVersion()) {
    return BadRequest(StrCat("the API version in the data (", Shown(version),
                             ") does not match the expected API version (", kKind.ApiVersion(),
                             ")"));
  }
  if (!kind.empty() && kind != kKind.kind) {
    return BadRequest(StrCat(Shown(kind), " cannot be handled as a ", kKind.kind));
  }
  return absl::OkStatus();
}

bool IsTextMap(const json::value& value) {
  const json::object* object = value.if_object();
  return object != nullptr && std::all_of(object->begin(), object->end(), [](const auto& member) {
           return member.value().is_string();
         });
}

void CheckLabels(const json::object& labels, Reader& reader) {
  for (const auto& member : labels) {
    const std::string_view value = View(member.value().get_string());
    for (const auto& [text, why] :
         {std::pair(View(member.key()), kube::LabelKeyProblem(View(member.key()))),
          std::pair(value, kube::LabelValueProblem(value))}) {
      if (!why.empty()) reader.Invalid("metadata.labels", Shown(text), why.substr(0, 300));
    }
  }
}

// Returns true if the text is a valid generateName.
bool IsNamePrefix(std::string_view prefix) {
  if (prefix.ends_with('-')) prefix.remove_suffix(1);
  return kube::IsDns1123Subdomain(prefix);
}

// Sets the metadata that the answer repeats.
absl::Status ReadMetadata(std::string_view ns, json::object& body, Reader& reader,
                          json::object& out) {
  json::value none = json::object();
  json::value* found = body.if_contains("metadata");
  if (found == nullptr || found->is_null()) found = &none;
  if (!found->is_object()) return Undecodable("metadata must be an object");
  json::object& metadata = found->get_object();
  reader.Prune(
      metadata, "metadata",
      {"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
       "finalizers", "generateName", "generation", "labels", "managedFields", "name", "namespace",
       "ownerReferences", "resourceVersion", "selfLink", "uid"});
  for (const std::string_view key : {"name", "generateName", "namespace"}) {
    const json::value* value = metadata.if_contains(json::string_view(key.data(), key.size()));
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_string()) return Undecodable(StrCat("metadata.", key, " must be a string"));
    if (!value->get_string().empty()) out[json::string_view(key.data(), key.size())] = *value;
  }
  if (const std::string_view given = StringAt(out, "namespace"); !given.empty() && given != ns) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  out["namespace"] = json::string_view(ns.data(), ns.size());
  out["creationTimestamp"] = nullptr;
  for (const std::string_view key : {"labels", "annotations"}) {
    json::value* value = metadata.if_contains(json::string_view(key.data(), key.size()));
    if (value == nullptr || value->is_null()) continue;
    if (!IsTextMap(*value)) {
      return Undecodable(StrCat("metadata.", key, " must be an object of strings"));
    }
    if (key == "labels") CheckLabels(value->get_object(), reader);
    out[json::string_view(key.data(), key.size())] = std::move(*value);
  }
  const std::string_view name = StringAt(out, "name");
  if (!name.empty() && !kube::IsDns1123Subdomain(name)) {
    reader.Invalid("metadata.name", Shown(name), "must be a lowercase RFC 1123 subdomain");
  }
  const std::string_view prefix = StringAt(out, "generateName");
  if (!prefix.empty() && !IsNamePrefix(prefix)) {
    reader.Invalid("metadata.generateName", Shown(prefix),
                   "must be the beginning of a lowercase RFC 1123 subdomain");
  }
  return absl::OkStatus();
}

void ReadManifests(json::object& bundle, Reader& reader, upstream::PreviewedBundle& out) {
  constexpr char kField[] = "spec.bundle.manifests";
  const json::array* manifests = reader.Array(bundle, "manifests", "spec.bundle");
  if (manifests == nullptr || manifests->empty()) {
    reader.Required(kField, "the objects to install");
    return;
  }
  if (manifests->size() > olm::kMaxBundleManifests) {
    reader.TooMany(kField, manifests->size(), olm::kMaxBundleManifests);
    return;
  }
  out.manifests.reserve(manifests->size());
  for (size_t i = 0; i < manifests->size(); ++i) {
    if ((*manifests)[i].is_object()) {
      out.manifests.push_back(Serialize((*manifests)[i]));
    } else {
      reader.WrongType(StrCat(kField, "[", i, "]"), "object");
    }
  }
}

void ReadProperties(json::object& bundle, Reader& reader, upstream::PreviewedBundle& out) {
  json::array* properties = reader.Array(bundle, "properties", "spec.bundle");
  if (properties == nullptr) return;
  for (size_t i = 0; i < properties->size(); ++i) {
    const std::string field = StrCat("spec.bundle.properties[", i, "]");
    json::object* property = (*properties)[i].if_object();
    if (property == nullptr) {
      reader.WrongType(field, "object");
      continue;
    }
    reader.Prune(*property, field, {"type", "value"});
    if (StringAt(*property, "type").empty()) reader.Required(field + ".type", "a property's type");
    if (!property->contains("value")) reader.Required(field + ".value", "a property's value");
  }
  out.properties = Serialize(*properties);
}

constexpr std::string_view kQuestions[] = {"installPlan", "bundle", "uninstall", "copiedCSVs"};

// Reads the single member that holds the question.
void ReadSpec(json::object& spec, Reader& reader, Question& question) {
  reader.Prune(spec, "spec", {"installPlan", "bundle", "uninstall", "copiedCSVs"});
  std::vector<std::string_view> given;
  for (const std::string_view key : kQuestions) {
    const json::value* value = spec.if_contains(json::string_view(key.data(), key.size()));
    if (value != nullptr && !value->is_null()) given.push_back(key);
  }
  if (given.empty()) {
    reader.Required("spec", "exactly one of installPlan, bundle, uninstall and copiedCSVs");
    return;
  }
  for (size_t i = 1; i < given.size(); ++i) {
    reader.Forbidden(Below("spec", given[i]), StrCat("may not be given beside ", given[0]));
  }
  if (given.size() > 1) return;
  const std::string_view key = given[0];
  const std::string path = Below("spec", key);
  json::object* asked = reader.Object(spec, key, "spec");
  if (asked == nullptr) return;
  if (key == "installPlan") {
    reader.Prune(*asked, path, {"name"});
    question.asked = PlanQuestion{reader.Name(*asked, "name", path)};
  } else if (key == "bundle") {
    reader.Prune(*asked, path, {"manifests", "properties"});
    upstream::PreviewedBundle bundle;
    ReadManifests(*asked, reader, bundle);
    ReadProperties(*asked, reader, bundle);
    question.asked = std::move(bundle);
  } else if (key == "uninstall") {
    reader.Prune(*asked, path, {"clusterServiceVersion", "cleanup"});
    UninstallQuestion uninstall;
    uninstall.csv = reader.Name(*asked, "clusterServiceVersion", path);
    uninstall.cleanup = reader.Bool(*asked, "cleanup", path);
    question.asked = std::move(uninstall);
  } else {
    reader.Prune(*asked, path, {"enabled"});
    if (!asked->contains("enabled") || asked->at("enabled").is_null()) {
      reader.Required(Below(path, "enabled"), "whether copies shall be on");
    }
    question.asked = CopiesQuestion{reader.Bool(*asked, "enabled", path).value_or(false)};
  }
}

absl::Status CheckSize(const Question& question) {
  const auto* bundle = std::get_if<upstream::PreviewedBundle>(&question.asked);
  if (bundle == nullptr) return absl::OkStatus();
  size_t bytes = bundle->properties.size();
  for (const std::string& manifest : bundle->manifests) bytes += manifest.size();
  if (bytes <= olm::kMaxBundleBytes) return absl::OkStatus();
  return kube::ToStatus(kube::RequestEntityTooLarge(olm::kMaxBundleBytes));
}

}  // namespace

absl::StatusOr<Question> ParseQuestion(std::string_view ns, json::object body,
                                       rest::FieldValidation validation) {
  RETURN_IF_ERROR(CheckType(body));
  Question question;
  Reader reader;
  reader.Prune(body, "", {"apiVersion", "kind", "metadata", "spec", "status"});
  RETURN_IF_ERROR(ReadMetadata(ns, body, reader, question.metadata));
  if (json::object* spec = reader.Object(body, "spec", "")) {
    ReadSpec(*spec, reader, question);
    question.spec = std::move(*spec);
  } else {
    reader.Required("spec", "what to preview");
  }
  if (validation == rest::FieldValidation::kStrict && !reader.unknown().empty()) {
    return Undecodable(StrCat("strict decoding error: ", absl::StrJoin(reader.unknown(), ", ")));
  }
  RETURN_IF_ERROR(reader.Result(StringAt(question.metadata, "name").substr(0, kMaxShown)));
  RETURN_IF_ERROR(CheckSize(question));
  if (validation == rest::FieldValidation::kWarn) question.warnings = reader.unknown();
  return question;
}

}  // namespace steward::views
